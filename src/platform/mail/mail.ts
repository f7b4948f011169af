/** A mail before it is written out: what it is about, and what its text needs. */
export type Mail =
  | { readonly kind: 'verification'; readonly link: string }
  | { readonly kind: 'reset'; readonly link: string }
  | {
      readonly kind: 'invite';
      readonly link: string;
      readonly organizationName: string;
      /** Name or address of who invites; null when that is not known. */
      readonly invitedBy: string | null;
    };

/** The parts of a mail that differ by kind. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Writes a mail as plain text and as HTML. Every value is escaped: names come from strangers. */
export function renderMail(mail: Mail): RenderedMail {
  const { subject, lines, action } = wording(mail);
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="font-family: sans-serif; line-height: 1.5">',
    ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
    `<p><a href="${escapeHtml(mail.link)}">${escapeHtml(action)}</a></p>`,
    `<p>${escapeHtml(mail.link)}</p>`,
    '</body></html>',
    '',
  ].join('\n');
  return { subject, text: [...lines, mail.link, ''].join('\n\n'), html };
}

function wording(mail: Mail): { subject: string; lines: string[]; action: string } {
  if (mail.kind === 'verification') {
    return {
      subject: 'Verify your e-mail address',
      lines: ['Follow this link within 24 hours to verify your e-mail address.', 'If you did not register, ignore it.'],
      action: 'Verify e-mail address',
    };
  }
  if (mail.kind === 'reset') {
    return {
      subject: 'Reset your password',
      lines: [
        'Follow this link within one hour to choose a new password.',
        'If you did not ask for it, ignore this mail: your password stays as it is.',
      ],
      action: 'Choose a new password',
    };
  }
  const inviter = mail.invitedBy === null ? 'You have been invited' : `${mail.invitedBy} invites you`;
  return {
    subject: `Invitation to ${singleLine(mail.organizationName)}`,
    lines: [
      `${singleLine(inviter)} to join ${singleLine(mail.organizationName)} on Plumbline.`,
      'Follow this link within 72 hours, and log in or register with the address this mail was sent to.',
    ],
    action: 'Accept the invitation',
  };
}

/**
 * A line break in a name must not start a new line of the mail, and a character that changes the direction of text must
 * not rearrange it. New names have none; names that were stored before this was checked may.
 */
function singleLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}

/** Text as it stands in HTML, also within quotation marks. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
