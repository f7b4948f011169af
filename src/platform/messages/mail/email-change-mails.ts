import { inUtc, type Wording } from './wording.js';

/** The mails of a change of an e-mail address. */
export type EmailChangeMail =
  | {
      /** To the current address. */
      readonly kind: 'email_change_by_old';
      readonly link: string;
      readonly newEmail: string;
      /** RFC 3339. */
      readonly requestedAt: string;
      /** IP address; null when unknown. */
      readonly requestedFrom: string | null;
    }
  /** To the new address. */
  | { readonly kind: 'email_change_by_new'; readonly link: string }
  /** To the new address, if an account has it. */
  | { readonly kind: 'email_change_taken'; readonly link: string };

/** The text of a mail about a change of an e-mail address. */
export function emailChangeWording(mail: EmailChangeMail): Wording {
  if (mail.kind === 'email_change_by_old') {
    const from = mail.requestedFrom === null ? '' : ` from the IP address ${mail.requestedFrom}`;
    return {
      subject: 'Confirm your new e-mail address',
      lines: [
        `On ${inUtc(mail.requestedAt)}, somebody who knows the password of your Plumbline account asked${from} to change its ` +
          `e-mail address to ${mail.newEmail}.`,
        'Follow this link within 24 hours to confirm the change, or to refuse it. The address changes when the new one ' +
          'is confirmed too.',
        'If it was not you, refuse the change and choose a new password.',
      ],
      action: 'Confirm or refuse the change',
    };
  }
  if (mail.kind === 'email_change_by_new') {
    return {
      subject: 'Confirm your new e-mail address',
      lines: [
        'Somebody asked to use this e-mail address for their Plumbline account.',
        'If it was you, follow this link within 24 hours to confirm the address. The account has it when the current ' +
          'address has confirmed too.',
        'If it was not you, ignore this mail. Nothing changes without your confirmation.',
      ],
      action: 'Confirm the address',
    };
  }
  return {
    subject: 'Your e-mail address is in use',
    lines: [
      'Somebody asked to use this e-mail address for another Plumbline account. An account with this address exists, so ' +
        'nothing changes.',
      'If it was you, log in with this address. If you have forgotten its password, choose a new one on the page for the log-in.',
      'If it was not you, ignore this mail.',
    ],
    action: 'Open Plumbline',
  };
}
