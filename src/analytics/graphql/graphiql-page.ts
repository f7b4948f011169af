import type { Context } from 'koa';
import { keptForMinutes, sendStaticFile } from '@plumbline/contract/static-file';

export interface GraphiqlFiles {
  readonly script: URL;
  readonly style: URL;
}

/** Pages load nothing from other origins. The editor and its menus create styles at run time. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends the page of GraphiQL, or one of its two files. If it was not built, the reply is 404. */
export async function sendGraphiql(
  ctx: Context,
  files: GraphiqlFiles,
  part: keyof GraphiqlFiles | null,
): Promise<void> {
  if (part === null) {
    ctx.set('Content-Security-Policy', contentSecurityPolicy);
    ctx.type = 'text/html';
    ctx.body = page;
    return;
  }
  const type = part === 'script' ? 'text/javascript' : 'text/css';
  await sendStaticFile(ctx, { file: files[part], type, cache: keptForMinutes });
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plumbline Analytics: GraphiQL</title>
<link rel="stylesheet" href="/graphql/graphiql.css">
</head>
<body>
<div id="graphiql"></div>
<script type="module" src="/graphql/graphiql.js"></script>
</body>
</html>
`;
