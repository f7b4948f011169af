import { SMTPServer } from 'smtp-server';
import PostalMime from 'postal-mime';

export interface ReceivedMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  /** The one-time token of the mail's link. */
  readonly token: string;
}

/** A real SMTP server that keeps what it is sent. */
export interface Mailbox {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** The mails for one address, oldest first. */
  to(address: string): ReceivedMail[];
  /** While set, the server refuses each mail with this reply: `451 try later`. */
  refuse(reply: string | null): void;
  /** The number of connections so far. */
  connections(): number;
  /** Ends the connections that are open now. */
  disconnect(): void;
  stop(): Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  let refusal: string | null = null;
  let connected = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    closeTimeout: 100, // clients keep their connection open
    onConnect: (_session, callback) => {
      connected++;
      callback();
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusal !== null) {
          callback(Object.assign(new Error(refusal.slice(4)), { responseCode: Number(refusal.slice(0, 3)) }));
          return;
        }
        const to = session.envelope.rcptTo[0]?.address ?? '';
        parse(Buffer.concat(chunks), to).then((mail) => {
          mails.push(mail);
          callback();
        }, callback);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    to: (recipient) => mails.filter((mail) => mail.to === recipient),
    refuse: (reply) => {
      refusal = reply;
    },
    connections: () => connected,
    disconnect: () => {
      for (const connection of server.connections) connection.close();
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

async function parse(message: Buffer, to: string): Promise<ReceivedMail> {
  const { from, subject = '', text = '', html = '', headers } = await PostalMime.parse(message);
  const token = /[?&]token=([\w%-]+)/.exec(text)?.[1] ?? '';
  return { to, from: from?.address ?? '', subject, text, html, headers, token: decodeURIComponent(token) };
}
