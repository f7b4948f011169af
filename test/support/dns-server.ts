import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** A DNS server for TXT records, as the resolver of Node sees one (RFC 1035). */
export interface DnsServer {
  /** `127.0.0.1:<port>` */
  readonly address: string;
  /** The TXT records by their names. A name without any is answered NXDOMAIN. */
  readonly records: Map<string, string[]>;
  /** Leaves queries without an answer. */
  isSilent: boolean;
  stop(): Promise<void>;
}

const typeTxt = 16;

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const server: DnsServer = {
    address: '',
    records: new Map(),
    isSilent: false,
    stop: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query: Buffer, { address, port }: RemoteInfo) => {
    if (!server.isSilent) socket.send(answerTo(query, server.records), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return Object.assign(server, { address: `127.0.0.1:${socket.address().port}` });
}

function answerTo(query: Buffer, records: ReadonlyMap<string, string[]>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const texts = query.readUInt16BE(at + 1) === typeTxt ? (records.get(labels.join('.').toLowerCase()) ?? []) : [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(texts.length > 0 ? 0x8180 : 0x8183, 2); // a response; NXDOMAIN
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(texts.length, 6);
  return Buffer.concat([header, question, ...texts.map(recordOf)]);
}

/** A record whose text comes in strings of 20 bytes, as DNS providers cut long ones. */
function recordOf(text: string): Buffer {
  const parts = (text.match(/.{1,20}/gs) ?? ['']).map((part) => Buffer.from(`\0${part}`, 'latin1'));
  for (const part of parts) part[0] = part.length - 1;
  const data = Buffer.concat(parts);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the name of the question
  head.writeUInt16BE(typeTxt, 2);
  head.writeUInt16BE(1, 4); // IN
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
