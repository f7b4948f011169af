/** A mail catcher for a container: SMTP on port 1025, and the mails as JSON on port 8025. */
import { createServer } from 'node:http';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

const mails: Email[] = [];

new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _session, done) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
        mails.push(mail);
        done();
      }, done);
    });
  },
}).listen(1025, '0.0.0.0');

createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(mails));
}).listen(8025, '0.0.0.0');
