import { join } from 'node:path';
import { isLoopbackName } from '@plumbline/contract/local-request';
import type { PlatformSettings } from '../../server/settings.js';

/** The folder in which mails are stored as files if there is no mail server. */
export function mailboxFolder({ home }: Pick<PlatformSettings, 'home'>): string {
  return join(home, 'mailbox');
}

/**
 * Whether mails become files that a person at this machine reads: there is no mail server, and no public address. With
 * a public address, the readers of the mails are elsewhere, and the server could not distinguish a local browser from a
 * local proxy that adds no header.
 */
export function isTrialMailbox({ mailUrl, appBaseUrl }: Pick<PlatformSettings, 'mailUrl' | 'appBaseUrl'>): boolean {
  return mailUrl === null && (appBaseUrl === null || isLoopbackName(new URL(appBaseUrl).hostname));
}
