import accepts from 'accepts';
import { readDocument, repliesAt, type Contract, type DocumentedOperation } from '../gate/contract.js';
import { matchOperation } from '../gate/match-operation.js';
import { refusalOf, type Refusal } from '../requests/check-request.js';
import { readRequest, type DocumentedRequest } from '../requests/read-requests.js';
import { openSchemas } from '../schemas.js';
import { refusalFor, refusalStatuses, replyFor, usualReply, type ChosenReply, type Replies } from './choose-reply.js';
import { preferredReply } from './preferred-reply.js';
import { receivedRequest, type MockRequest } from './received-request.js';
import { createWriter, mediaTypesOf, writeReply, type MockReply, type Writer } from './write-reply.js';

export interface MockAnswer extends MockReply {
  /** Why the request was refused; null: it was not. */
  readonly reason: string | null;
}

/** Answers requests from the examples of a contract. It keeps no state: equal requests get equal replies. */
export interface Mock {
  readonly contract: Contract;
  answer(request: MockRequest): MockAnswer;
}

/** Reads an OpenAPI 3.x document whose references stay within it (`loadDocument`). */
export function createMock(document: unknown): Mock {
  const contract = readDocument('mock', document);
  const forRequests = openSchemas(document, 'requests');
  const writer = createWriter(openSchemas(document, 'replies'));
  const operations = new Map(
    contract.operations.map((operation): [DocumentedOperation, Operation] => [
      operation,
      {
        contract,
        operation,
        documented: readRequest(forRequests, operation),
        replies: new Map(repliesAt(writer.schemas.document, [...operation.pointer, 'responses'])),
      },
    ]),
  );
  const unrouted = new Map(repliesAt(writer.schemas.document, ['x-api-responses']));
  return {
    contract,
    answer: (request) => {
      const { operation, methods } = matchOperation(contract, request.method, request.url);
      const found = operation === null ? undefined : operations.get(operation);
      return found === undefined ? refuseUnrouted(writer, unrouted, methods) : answerOperation(writer, found, request);
    },
  };
}

interface Operation {
  readonly contract: Contract;
  readonly operation: DocumentedOperation;
  readonly documented: DocumentedRequest;
  readonly replies: Replies;
}

function answerOperation(writer: Writer, operation: Operation, request: MockRequest): MockAnswer {
  const { replies } = operation;
  const preferred = preferredReply(writer, replies, request.headers['prefer'] ?? '');
  if (preferred !== null) {
    const { chosen, example, applied } = preferred;
    const mediaType = example?.mediaType ?? acceptedMediaType(writer, chosen, request);
    const reply = writeReply(writer, chosen, mediaType ?? firstMediaType(writer, chosen), example?.name ?? null);
    reply.headers.set('Preference-Applied', applied);
    return { ...reply, reason: null };
  }
  const usual = isResumption(request, replies) ? replyFor(replies, 204) : usualReply(replies);
  const mediaType = usual === null ? null : acceptedMediaType(writer, usual, request);
  const refusal = refusalByAccept(writer, usual, mediaType, replies) ?? refusalByContract(operation, request);
  if (refusal !== null) return refuse(writer, replies, refusal);
  if (usual === null) return plainProblem(501, 'the contract documents no reply');
  return { ...writeReply(writer, usual, mediaType ?? firstMediaType(writer, usual), null), reason: null };
}

/** Whether the caller has received the event of the mock. 204 tells it not to connect again (HTML standard). */
function isResumption(request: MockRequest, replies: Replies): boolean {
  return request.headers['last-event-id'] !== undefined && replies.has('204');
}

/** A reply in a media type that the caller does not accept is allowed (RFC 9110, section 15.5.7), unless 406 is documented. */
function refusalByAccept(
  writer: Writer,
  usual: ChosenReply | null,
  accepted: string | null,
  replies: Replies,
): Refusal | null {
  const hasBody = usual !== null && mediaTypesOf(writer, usual).size > 0;
  if (!hasBody || accepted !== null || !replies.has('406')) return null;
  return { kind: 'not acceptable', reason: 'the caller accepts no media type of the reply' };
}

function refusalByContract({ contract, operation, documented }: Operation, request: MockRequest): Refusal | null {
  if (request.body === null) return { kind: 'too long', reason: 'the body is too long' };
  return refusalOf(documented, receivedRequest(contract, operation, request));
}

function refuse(writer: Writer, replies: Replies, { kind, reason }: Refusal): MockAnswer {
  const chosen = refusalFor(replies, kind);
  if (chosen === null) return plainProblem(refusalStatuses[kind][0], reason);
  return { ...writeReply(writer, chosen, firstMediaType(writer, chosen), null), reason };
}

function refuseUnrouted(writer: Writer, unrouted: Replies, methods: readonly string[]): MockAnswer {
  const status = methods.length === 0 ? 404 : 405;
  const chosen = replyFor(unrouted, status);
  const reason = status === 404 ? 'no operation has this path' : 'no operation of this path has this method';
  const reply =
    chosen === null
      ? plainProblem(status, reason)
      : { ...writeReply(writer, chosen, firstMediaType(writer, chosen), null), reason };
  if (status === 405) reply.headers.set('Allow', [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', '));
  return reply;
}

function firstMediaType(writer: Writer, chosen: ChosenReply): string | null {
  return [...mediaTypesOf(writer, chosen).keys()][0] ?? null;
}

/** The media type that the caller accepts best; null: the reply has none, or none is accepted. */
function acceptedMediaType(writer: Writer, chosen: ChosenReply, { headers }: MockRequest): string | null {
  const mediaTypes = [...mediaTypesOf(writer, chosen).keys()];
  if (mediaTypes.length === 0) return null;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- it reads the headers alone
  const accepted = accepts({ headers } as Parameters<typeof accepts>[0]).type(mediaTypes);
  return typeof accepted === 'string' ? accepted : null;
}

/** A reply that the contract does not document. */
function plainProblem(status: number, reason: string): MockAnswer {
  const body = JSON.stringify({ type: 'about:blank', status, title: reason });
  return { status, headers: new Headers({ 'Content-Type': 'application/problem+json' }), body, reason };
}
