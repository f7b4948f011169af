import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { builtCommand } from '../cli/built-command.js';
import { browser as browserFile } from '../support/browser.js';
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
    viewport: { width, height: width < 600 ? 844 : 900 },
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const complaints: string[] = [];
  await context.addInitScript({ content: reportPolicyViolations });
  context.on('page', (page) => {
    listen(page, url, complaints);
  });
  const page = await context.newPage();
  const visitor: Visitor = {
    context,
    page,
    complaints,
    open: async (path) => {
      if (path.includes('#')) await page.goto('about:blank'); // another fragment alone would not load the page again
      await page.goto(path);
    },
    newTab: async (path) => {
      const tab = await context.newPage();
      await tab.goto(path);
      return tab;
    },
    logIn: async ({ email, password }, tab = page) => {
      await tab.getByLabel('E-mail address').fill(email);
      await tab.getByLabel('Password', { exact: true }).fill(password);
      await tab.getByRole('button', { name: 'Log in' }).click();
      await tab.getByText('Log out').first().waitFor({ state: 'attached' }); // folded away on narrow screens
    },
  };
  return visitor;
}

function listen(page: Page, url: string, complaints: string[]): void {
  page.on('console', (message) => {
    // The browser's own note on a reply of 4xx or 5xx: a test that provokes such replies looks at what the page shows.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(`console: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) {
      complaints.push(`request: ${request.url()}`);
    }
  });
}
