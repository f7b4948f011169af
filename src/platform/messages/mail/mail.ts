import { emailChangeWording, type EmailChangeMail } from './email-change-mails.js';
import { organizationDeletionWording, type OrganizationDeletionMail } from './organization-deletion-mail.js';
import { securitySubjects, securityWording, type SecurityMail } from './security-mail.js';
import { webhookWording, type WebhookMail } from './webhook-mail.js';
import { inUtc, plainName, type Wording } from './wording.js';

/** A mail before rendering: its kind and the values for its text. */
export type Mail =
  | SecurityMail
  | {
      readonly kind: 'verification';
      readonly link: string;
      /** Absent in mails stored before this link existed. */
      readonly disown?: Disownment;
    }
  | { readonly kind: 'reset'; readonly link: string }
  | {
      readonly kind: 'invite';
      readonly link: string;
      readonly organizationName: string;
      /** The inviter's name or address; null when unknown. */
      readonly invitedBy: string | null;
    }
  | EmailChangeMail
  | OrganizationDeletionMail
  | WebhookMail;

/** The kinds of mails that this server can write. */
export const mailKinds = Object.keys({
  verification: true,
  reset: true,
  invite: true,
  email_change_by_old: true,
  email_change_by_new: true,
  email_change_taken: true,
  organization_deletion: true,
  webhook_deactivated: true,
  ...securitySubjects,
} satisfies Record<Mail['kind'], unknown>);

/** Information that lets the holder of an address recognize a stranger's registration. */
export interface Disownment {
  /** Deletes the account. */
  readonly link: string;
  /** When the account was created, and when it will be removed unless verified; RFC 3339. */
  readonly registeredAt: string;
  readonly removedAt: string;
  /** The IP address of the registration; null when unknown. */
  readonly registeredFrom: string | null;
}

/** The parts of a mail that differ by kind. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Renders a mail as plain text and as HTML. Every value is escaped, because names are untrusted. */
export function renderMail(mail: Mail): RenderedMail {
  const { subject, lines, action, alternative } = wording(mail);
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="font-family: sans-serif; line-height: 1.5">',
    ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
    `<p><a href="${escapeHtml(mail.link)}">${escapeHtml(action)}</a></p>`,
    `<p>${escapeHtml(mail.link)}</p>`,
    ...(alternative === undefined
      ? []
      : [
          `<p>${escapeHtml(alternative.line)}</p>`,
          `<p><a href="${escapeHtml(alternative.link)}">${escapeHtml(alternative.action)}</a></p>`,
          `<p>${escapeHtml(alternative.link)}</p>`,
        ]),
    '</body></html>',
    '',
  ].join('\n');
  const rest = alternative === undefined ? [] : [alternative.line, alternative.link];
  return { subject, text: [...lines, mail.link, ...rest, ''].join('\n\n'), html };
}

function wording(mail: Mail): Wording {
  switch (mail.kind) {
    case 'verification':
      return verificationWording(mail.disown);
    case 'reset':
      return resetWording;
    case 'invite':
      return inviteWording(mail);
    case 'organization_deletion':
      return organizationDeletionWording(mail);
    case 'webhook_deactivated':
      return webhookWording(mail);
    case 'email_change_by_old':
    case 'email_change_by_new':
    case 'email_change_taken':
      return emailChangeWording(mail);
    case 'password_changed':
    case 'password_reset':
    case 'email_changed':
    case 'new_device':
    case 'identity_linked':
    case 'identity_unlinked':
    case 'mfa_changed':
    case 'service_token_created':
    case 'service_token_rotated':
    case 'owner_added':
      return securityWording(mail);
  }
}

const resetWording: Wording = {
  subject: 'Reset your password',
  lines: [
    'Follow this link within one hour to choose a new password.',
    'If you did not request it, ignore this mail. Your password has not changed.',
  ],
  action: 'Choose a new password',
};

function inviteWording(mail: Extract<Mail, { readonly kind: 'invite' }>): Wording {
  const inviter = mail.invitedBy === null ? 'You have been invited' : `${plainName(mail.invitedBy)} invites you`;
  const organization = plainName(mail.organizationName);
  return {
    subject: `Invitation to ${organization}`,
    lines: [
      `${inviter} to join ${organization} on Plumbline.`,
      'Follow this link within 72 hours. Log in or register with the address that this mail was sent to.',
    ],
    action: 'Accept the invitation',
  };
}

function verificationWording(disown: Disownment | undefined): Wording {
  const subject = 'Verify your e-mail address';
  const action = 'Verify e-mail address';
  const task = 'Follow this link within 24 hours to verify your e-mail address.';
  if (disown === undefined) return { subject, lines: [task, 'If you did not register, ignore it.'], action };
  const from = disown.registeredFrom === null ? '' : ` from the IP address ${disown.registeredFrom}`;
  return {
    subject,
    lines: [
      `A Plumbline account was created with this e-mail address on ${inUtc(disown.registeredAt)}${from}.`,
      `If that was you: ${task.charAt(0).toLowerCase()}${task.slice(1)} Anyone who knows ` +
        'the password chosen at registration can then log in.',
    ],
    action,
    alternative: {
      line:
        'If it was not you, do not follow that link. Delete the account with this link; otherwise it is removed on ' +
        `${inUtc(disown.removedAt)}.`,
      link: disown.link,
      action: 'This was not me: delete the account',
    },
  };
}

/** Escapes text for HTML, including attribute values. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
