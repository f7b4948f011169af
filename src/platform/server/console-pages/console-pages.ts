import type { Context } from 'koa';
import { consoleAssets, sendBuiltPage } from '@plumbline/contract/built-pages';
import type { PageRoute } from '@plumbline/contract/page-routes';
import type { IdentityProviderSettings } from '../settings/identity-provider-settings.js';
import { PROVIDERS } from '../../../sync/providers/registry.js';
import type { RegistrationPolicy } from '../../identity/auth/registration-policy.js';
import { keptForMinutes, sendStaticFile } from '@plumbline/contract/static-file';

export interface ConsoleOptions {
  /** The directory with `index.html`, `icon.svg` and `assets/`, created by `npm run build`. */
  readonly folder: URL;
  /** Whether `/mailbox` is served. The console then links to it, on machines that can open it. */
  readonly hasMailbox: boolean;
  /** Who can register, and whether a registration creates an organization: the pages ask for what is needed. */
  readonly registration: RegistrationPolicy;
  readonly createsOrganization: boolean;
  /** With whose accounts people can log in. */
  readonly identityProviders: readonly Pick<IdentityProviderSettings, 'id' | 'name'>[];
  /** The code hosts that organizations can connect by an app of this server. */
  readonly apps: readonly ('host_a' | 'host_b')[];
}

/** The target pages of links in mails, and of the redirects of identity providers. */
const linkedPages = [
  '/verify',
  '/not-me',
  '/confirm-email',
  '/secure-account',
  '/reset-password',
  '/accept-invite',
  '/login/callback/:provider',
  '/login/sso/:organization',
  '/login/sso/:organization/callback',
];

/** The redirect target of `/`: the console for browsers, the API reference for other callers. */
export function consoleHome(ctx: Context): string {
  ctx.vary('Accept');
  return ctx.get('Accept').includes('text/html') ? '/console/' : '/docs';
}

/**
 * The web console below `/console/`. Links in mails, and identity providers, lead to its pages by a redirect. The token
 * moves to the fragment, which browsers do not send.
 */
export function createConsolePages(options: ConsoleOptions): PageRoute[] {
  const { folder, hasMailbox } = options;
  const tags = registrationTags(options) + providerTags(options) + appTags(options) + sourcesTag();
  return [
    ...linkedPages.map((path): PageRoute => ({
      name: `redirect ${path}`,
      method: 'GET',
      path,
      produces: [],
      handle: (ctx) => {
        ctx.redirect(`/console${ctx.path}${ctx.search.replace('?', '#')}`);
      },
    })),
    {
      // Providers can begin a log-in with a link or with a form (OpenID Connect Core 1.0, section 4).
      name: 'redirect a form to /login/sso/:organization',
      method: 'POST',
      path: '/login/sso/:organization',
      produces: [],
      body: { mediaType: 'application/x-www-form-urlencoded', maxBytes: 10_000 },
      handle: (ctx, { receivedBody }) => {
        ctx.status = 303;
        ctx.redirect(`/console${ctx.path}#${new URLSearchParams(receivedBody?.bytes).toString()}`);
      },
    },
    {
      // Browsers request it for pages that name no icon, such as those of problems.
      name: 'icon',
      method: 'GET',
      path: '/favicon.ico',
      produces: ['image/svg+xml'],
      handle: (ctx) =>
        sendStaticFile(ctx, { file: new URL('icon.svg', folder), type: 'image/svg+xml', cache: keptForMinutes }),
    },
    consoleAssets(folder),
    {
      name: 'console',
      method: 'GET',
      path: '/console{/*path}',
      produces: ['text/html'],
      handle: (ctx, { isOnThisMachine }) => {
        if (ctx.path === '/console') {
          ctx.redirect('/console/');
          return undefined;
        }
        const mailbox = hasMailbox && isOnThisMachine ? '<meta name="plumbline-mailbox" content="/mailbox" />' : '';
        return sendBuiltPage(ctx, new URL('index.html', folder), tags + mailbox);
      },
    },
  ];
}

/** What the pages for registration need to know before anybody has logged in. */
function registrationTags({ registration, createsOrganization }: ConsoleOptions): string {
  const domains = registration.kind === 'domains' ? ` data-domains="${registration.domains.join(' ')}"` : '';
  const organization = createsOrganization ? ' data-creates-organization' : '';
  return `<meta name="plumbline-registration" content="${registration.kind}"${domains}${organization} />`;
}

/** The code hosts with a button to connect them by an app. */
function appTags({ apps }: ConsoleOptions): string {
  return apps.map((provider) => `<meta name="plumbline-app" content="${provider}" />`).join('');
}

/** What the forms for syncs and connections need to know of each provider. */
function sourcesTag(): string {
  const sources = PROVIDERS.map(({ name, title, targets, example, host, isGenerated = false }) => ({
    ...{ name, title, targets, example, isGenerated },
    isHost: host !== undefined,
    isSelfHosted: host?.publicUrl === null,
    tokenForm: host?.tokenForm ?? '',
  }));
  const content = JSON.stringify(sources).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<meta name="plumbline-sources" content="${content}" />`;
}

/** The buttons for other ways to log in. The names have no characters that would need escapes: see `shortName`. */
function providerTags({ identityProviders }: ConsoleOptions): string {
  return identityProviders
    .map(({ id, name }) => `<meta name="plumbline-provider" content="${id}" data-name="${name}" />`)
    .join('');
}
