import { chromium, type Browser, type BrowserContext, type Page, type Request } from 'playwright-core';
import { builtCommand } from '../cli/built-command.js';
import { browser as browserFile } from '../support/browser.js';
import { keepForFailures } from '../support/open-pages.js';
import { startTestPlatform, type TestPlatform, type TestPlatformOptions, type TestUser } from '../support/platform.js';

export { withoutBrowser } from '../support/browser.js';
export const hasBrowser = browserFile !== undefined;

/** A running Platform with the console, and a browser to look at it with. */
export interface RunningConsole {
  readonly platform: TestPlatform;
  /** A person with a new browser profile: no cookies, nothing stored. */
  visitor(options?: VisitorOptions): Promise<Visitor>;
  stop(): Promise<void>;
}

export interface VisitorOptions {
  readonly theme?: 'light' | 'dark';
  /** Width of the window in CSS pixels (default 1280). */
  readonly width?: number;
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Messages of the policy, errors of scripts and requests to other hosts, in all tabs so far. There must be none. */
  readonly complaints: readonly string[];
  /** Names requests that fail because the test wants it, as the browser reports them: `401 /api/v1/auth/login`. */
  provoke(...failures: readonly (string | RegExp)[]): void;
  /** Goes to a path of the server: `/console/overview`. */
  open(path: string): Promise<void>;
  /** Opens another tab. */
  newTab(path: string): Promise<Page>;
  /** Fills in the log-in form that the page shows, and waits until the server has let the user in. */
  logIn(user: Pick<TestUser, 'email' | 'password'>, page?: Page): Promise<void>;
}

const args = [
  '--headless',
  '--no-sandbox', // a browser that runs as root has none
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Builds what has changed, and starts a Platform and a browser. */
export async function startConsole(options: TestPlatformOptions = {}): Promise<RunningConsole> {
  await builtCommand();
  const platform = await startTestPlatform(options);
  const browser = await startBrowser().catch(async (error: unknown) => {
    await platform.stop();
    throw error;
  });
  return {
    platform,
    visitor: (visitorOptions) => newVisitor(browser, platform.url, visitorOptions),
    stop: async () => {
      await browser.close();
      await platform.stop();
    },
  };
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserFile ?? '', args });
}

const reportPolicyViolations = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

/** @param url of the only server that pages may ask */
export async function newVisitor(browser: Browser, url: string, options: VisitorOptions = {}): Promise<Visitor> {
  const { theme = 'light', width = 1280 } = options;
  const context = await browser.newContext({
    baseURL: url,
    ignoreHTTPSErrors: true, // the browser does not know the authorities of tests
    viewport: { width, height: width < 600 ? 844 : 900 },
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(90_000); // as long as a busy machine takes, and shorter than a test may
  const complaints: string[] = [];
  keepForFailures(context, complaints);
  const provoked: (string | RegExp)[] = [];
  await context.addInitScript({ content: reportPolicyViolations });
  context.on('page', (page) => {
    listen(page, url, complaints, (failure) => provoked.some((each) => isProvoked(failure, each)));
  });
  const page = await context.newPage();
  const visitor: Visitor = {
    context,
    page,
    complaints,
    provoke: (...failures) => {
      provoked.push(...failures);
    },
    open: async (path) => {
      if (path.includes('#')) await page.goto('about:blank'); // another fragment alone would not load the page again
      await load(page, path);
    },
    newTab: async (path) => {
      const tab = await context.newPage();
      await load(tab, path);
      return tab;
    },
    logIn: async ({ email, password }, tab = page) => {
      await tab.getByLabel('E-mail address').fill(email);
      await tab.getByLabel('Password', { exact: true }).fill(password);
      await tab.getByRole('button', { name: 'Log in', exact: true }).click();
      await tab.getByText('Log out').first().waitFor({ state: 'attached' }); // folded away on narrow screens
    },
  };
  return visitor;
}

/** Chooses one of the values that a searchable field offers. */
export async function pick(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Loads the page again. */
export function reload(page: Page): Promise<void> {
  return despiteCuts(page, async () => {
    await page.reload();
  });
}

function load(page: Page, path: string): Promise<void> {
  return despiteCuts(page, async (isFirst) => {
    // A path with a fragment that is gone to twice is not loaded twice.
    await (isFirst ? page.goto(path) : page.reload());
  });
}

/**
 * Does something with a page, and does it again when the browser cut off a request: it ends all requests at the moment
 * when tests of containers on the same machine add or remove a network.
 */
export async function despiteCuts(page: Page, action: (isFirst: boolean) => Promise<void>): Promise<void> {
  const cut: Request[] = [];
  const notice = (request: Request): void => {
    if (request.failure()?.errorText === 'net::ERR_NETWORK_CHANGED') cut.push(request);
  };
  page.on('requestfailed', notice);
  try {
    for (let tries = 1; tries <= 10; tries++) {
      cut.length = 0;
      await action(tries === 1).catch((error: unknown) => {
        if (cut.length === 0) throw error;
      });
      if (cut.length === 0) return;
    }
    throw new Error('The network of this machine changes all the time.');
  } finally {
    page.off('requestfailed', notice);
  }
}

/** The browser's note on a reply of 4xx or 5xx, or on a request without a reply. */
const failedRequest = /^Failed to load resource: (?:the server responded with a status of (\d+)|(net::\w+))/;

const isProvoked = (failure: string, provoked: string | RegExp): boolean =>
  typeof provoked === 'string' ? failure === provoked : provoked.test(failure);

function listen(page: Page, url: string, complaints: string[], isExpected: (failure: string) => boolean): void {
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const [, status, error] = failedRequest.exec(message.text()) ?? [];
    const what = status ?? error;
    if (what === undefined) complaints.push(`console: ${message.text()}`);
    else {
      const failure = `${what} ${new URL(message.location().url).pathname}`;
      // Tests of containers on the same machine change its networks.
      if (what !== 'net::ERR_NETWORK_CHANGED' && !isExpected(failure)) complaints.push(`failed: ${failure}`);
    }
  });
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) {
      complaints.push(`request: ${request.url()}`);
    }
  });
}
