import {
  Composer,
  Lexer,
  LineCounter,
  Parser,
  type CST,
  type Document,
  type ErrorCode,
  type ParseOptions,
  type SchemaOptions,
} from 'yaml';
import { atOnce, type Steps } from './slices.js';

/** Rules, teams and settings are far less deep. */
const deepest = 64;
/** A megabyte of teams has up to 240,000 tokens, which take about half a second. */
const mostTokens = 250_000;
/** The time of anchors and tags grows with the square of their number. */
const mostProperties = 1_000;

/** A problem of a YAML text. The messages are those of the library and may quote the text. */
export interface YamlFault {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface BoundedYaml {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  readonly faults: readonly YamlFault[];
}

/** The text exceeds a limit. */
export class YamlLimitError extends Error {
  override readonly name = 'YamlLimitError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** `uniqueKeys` compares each key of a mapping with all others: not for long mappings. */
type YamlOptions = Pick<SchemaOptions & ParseOptions, 'schema' | 'uniqueKeys'>;

/**
 * Parses a YAML text from an untrusted source.
 *
 * The library composes values recursively: 2,000 opening brackets overflow the stack, which can end the process (V8
 * fails fatally where it compiles a regular expression without stack). Its tokens are counted first, without recursion.
 *
 * @throws YamlLimitError
 */
export function parseBoundedYaml(text: string, options: YamlOptions = {}): BoundedYaml {
  return atOnce(boundedYaml(text, options));
}

/** The same in small steps. Only the composition of the tokens, up to a quarter of the time, is a single step. */
export function* boundedYaml(text: string, options: YamlOptions = {}): Steps<BoundedYaml> {
  const lines = new LineCounter();
  const tokens = yield* tokensOf(text, lines);
  const composer = new Composer({ uniqueKeys: false, ...options, prettyErrors: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw new Error('the composer was told to make a document of any text');
  yield;
  const faults: YamlFault[] = document.errors.map(({ code, message, pos: [offset] }) => {
    return { ...placeOf(lines, offset), code, message };
  });
  if (second !== undefined) {
    const message = 'The text has more than one document';
    faults.push({ ...placeOf(lines, second.range[0]), code: 'MULTIPLE_DOCS', message });
  }
  return { document, lines, faults };
}

function* tokensOf(text: string, lines: LineCounter): Steps<CST.Token[]> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0); // the parser reports the lines after the first one
  const tokens: CST.Token[] = [];
  const refuse = (message: string): never => {
    throw new YamlLimitError(message, placeOf(lines, parser.offset).line);
  };
  let count = 0;
  let properties = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (lexeme.startsWith('&') || lexeme.startsWith('!')) properties += 1;
    // The document is on the stack, too.
    if (parser.stack.length > deepest + 1) refuse(`The text is nested more than ${deepest} levels deep`);
    if (properties > mostProperties) refuse(`The text has more than ${mostProperties} anchors and tags`);
    if (++count > mostTokens) refuse(`The text has more than ${mostTokens} tokens`);
    if (count % 256 === 0) yield;
  }
  tokens.push(...parser.end());
  return tokens;
}

function placeOf(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
