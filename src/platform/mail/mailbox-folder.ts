import { join } from 'node:path';
import type { PlatformSettings } from '../settings.js';

/** Where mails are stored as files while there is no mail server. */
export function mailboxFolder({ home }: Pick<PlatformSettings, 'home'>): string {
  return join(home, 'mailbox');
}
