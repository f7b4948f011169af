/** Follows redirects and submits the forms of pages, as a person with a browser does. */

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/**
 * Goes from one address to another one.
 *
 * @param target where to stop: the beginning of an address
 * @param typed what the person enters into the fields of forms, by their names
 * @returns the address
 */
export async function browse(start: string, target: string, typed: Readonly<Record<string, string>>): Promise<URL> {
  const cookies: Cookie[] = [];
  let url = new URL(start);
  let form: URLSearchParams | null = null;
  for (let steps = 0; steps < 20; steps += 1) {
    if (url.href.startsWith(target)) return url;
    const { pathname } = url;
    const sent = cookies.filter(({ path }) => pathname.startsWith(path));
    const reply: Response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') },
      ...(form !== null && { method: 'POST', body: form }),
    });
    for (const line of reply.headers.getSetCookie()) keep(cookies, line);
    const location = reply.headers.get('Location');
    const page = await reply.text();
    if (location !== null) {
      [url, form] = [new URL(location, url), null];
      continue;
    }
    const action = /<form[^>]*\saction="([^"]*)"/i.exec(page)?.[1];
    if (action === undefined) throw new Error(`${url.href} answered ${reply.status} without a form: ${page}`);
    [url, form] = [new URL(decoded(action), url), fieldsOf(page, typed)];
  }
  throw new Error(`${target} was not reached`);
}

function keep(cookies: Cookie[], line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? '/';
  const known = cookies.findIndex((cookie) => cookie.name === name && cookie.path === path);
  if (known >= 0) cookies.splice(known, 1);
  if (!/;\s*max-age=0/i.test(line)) cookies.push({ name, value, path });
}

function fieldsOf(page: string, typed: Readonly<Record<string, string>>): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [input] of page.matchAll(/<input[^>]*>/gi)) {
    const name = /\sname="([^"]*)"/i.exec(input)?.[1];
    const value = /\svalue="([^"]*)"/i.exec(input)?.[1];
    if (name !== undefined) fields.set(name, typed[name] ?? decoded(value ?? ''));
  }
  return fields;
}

/** The text of an attribute. */
function decoded(text: string): string {
  return text
    .replace(/&#x([\da-f]+);/gi, (_match, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_match, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
