"""Runs a command on a pseudo-terminal: terminal.py ROWS COLUMNS COMMAND...

Standard input goes to the terminal as keys, and what the terminal shows to standard output. A line `rows columns` on
file descriptor 3 resizes the terminal. Ends as the command ends, or with 128 and the signal's number.
"""
import fcntl, os, pty, select, struct, sys, termios


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))


rows, columns, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    resize(0, rows, columns)
    os.close(3)
    os.execvp(command[0], command)

sources = [terminal, 0, 3]
while terminal in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:  # Linux answers EIO when the last process has left the terminal.
            data = b""
        if not data:
            sources.remove(source)
        elif source == terminal:
            os.write(1, data)
        elif source == 0:
            os.write(terminal, data)
        else:
            resize(terminal, *data.split()[-2:])

_, status = os.waitpid(child, 0)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
