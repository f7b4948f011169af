import { join } from 'node:path';
import type { PlatformSettings } from '../../server/settings.js';

/** The folder in which mails are stored as files if there is no mail server. */
export function mailboxFolder({ home }: Pick<PlatformSettings, 'home'>): string {
  return join(home, 'mailbox');
}
