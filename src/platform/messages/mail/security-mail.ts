/** Mails that tell the holder of an account about changes by which somebody could take it over. */
import { inUtc, quotedName, type Wording } from './wording.js';

/** What happened to the second factor of an account. */
export type MfaChange =
  | 'totp_added'
  | 'totp_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_replaced'
  | 'recovery_code_used'
  | 'reset';

const mfaSentences: Readonly<Record<MfaChange, string>> = {
  totp_added: 'An authenticator app was set up: log-ins to your Plumbline account ask for its codes from now on.',
  totp_removed: 'The authenticator app was removed: log-ins to your Plumbline account no longer ask for its codes.',
  passkey_added: 'A passkey was added, with which your Plumbline account can be logged in to from now on.',
  passkey_removed: 'A passkey was deleted. It can no longer log in to your Plumbline account.',
  recovery_codes_replaced:
    'The recovery codes of your Plumbline account were replaced. The earlier ones no longer work.',
  reset:
    'The second factor of your Plumbline account was removed by an owner of your organization or by the operator, and its sessions were ended. Set one up again.',
  recovery_code_used: 'A recovery code of your Plumbline account was used. It does not work again.',
};

/** What happened. */
export type SecurityEvent =
  | { readonly kind: 'password_changed' }
  | { readonly kind: 'password_reset' }
  | {
      readonly kind: 'email_changed';
      /** The address that the account has now. The mail goes to the former one. */
      readonly newEmail: string;
    }
  | {
      readonly kind: 'new_device';
      /** The kind of program, in words of this server. */
      readonly program: string;
    }
  | {
      readonly kind: 'identity_linked' | 'identity_unlinked';
      /** The name of the identity provider. */
      readonly provider: string;
      /** The address of the identity. */
      readonly email: string;
    }
  | { readonly kind: 'mfa_changed'; readonly change: MfaChange }
  | { readonly kind: 'service_token_created'; readonly organizationName: string }
  | {
      readonly kind: 'service_token_rotated';
      readonly organizationName: string;
      readonly tokenName: string;
      /** The e-mail address of somebody else who did it; the mail goes to the creator. Null: the account did it. */
      readonly rotatedBy: string | null;
    }
  | {
      readonly kind: 'owner_added';
      readonly organizationName: string;
      /** The e-mail address of the new owner. */
      readonly newOwner: string;
    };

export type SecurityMail = SecurityEvent & {
  /** "This was not me": secures the account. */
  readonly link: string;
  /** RFC 3339. */
  readonly at: string;
  /** The IP address of the request; null when unknown. */
  readonly from: string | null;
};

/** The subject of each kind of mail. */
export const securitySubjects: Readonly<Record<SecurityEvent['kind'], string>> = {
  password_changed: 'Your password was changed',
  password_reset: 'Your password was reset',
  email_changed: 'Your e-mail address was changed',
  new_device: 'Log-in from a new device',
  identity_linked: 'A way to log in was added to your account',
  identity_unlinked: 'A way to log in was removed from your account',
  mfa_changed: 'The second factor of your account was used or changed',
  service_token_created: 'A service token was created with your account',
  service_token_rotated: 'A service token has a new secret',
  owner_added: 'An organization of yours has a new owner',
};

/** The text. Names are quoted, because others choose them. */
export function securityWording(mail: SecurityMail): Wording {
  const origin = mail.from === null ? '' : `, from the IP address ${mail.from}`;
  return {
    subject: securitySubjects[mail.kind],
    lines: [
      `${sentence(mail)} It happened on ${inUtc(mail.at)}${origin}.`,
      'If you know about it, you need to do nothing.',
      `If it was not you, somebody else may be using your account. This link ${effect(mail)} It is valid for 7 days.`,
    ],
    action: 'This was not me: secure my account',
  };
}

/** What the link does. */
function effect({ kind }: SecurityMail): string {
  const ends =
    'ends all of its sessions, its password, its links to identity providers, and the passkeys and the authenticator app ' +
    'that were added since, revokes the service tokens that were created or rotated with it since, and sends you a mail ' +
    'with which you choose a new password.';
  return kind === 'email_changed' ? `gives it this address back, ${ends}` : ends;
}

function sentence(mail: SecurityMail): string {
  switch (mail.kind) {
    case 'password_changed':
      return 'The password of your Plumbline account was changed.';
    case 'password_reset':
      return 'The password of your Plumbline account was reset by a link that was sent to this address.';
    case 'email_changed':
      return (
        `The e-mail address of your Plumbline account was changed to ${mail.newEmail}, after both addresses had ` +
        'confirmed it. You can no longer log in with this address.'
      );
    case 'new_device':
      return `Your Plumbline account was logged in to from a new device: ${mail.program}.`;
    case 'identity_linked':
      return `The ${mail.provider} account ${mail.email} can log in to your Plumbline account from now on.`;
    case 'identity_unlinked':
      return `The ${mail.provider} account ${mail.email} can no longer log in to your Plumbline account.`;
    case 'mfa_changed':
      return mfaSentences[mail.change];
    case 'service_token_created':
      return (
        `With your Plumbline account, a service token was created for the organization ` +
        `${quotedName(mail.organizationName)}. Programs can use the organization with it until it is revoked.`
      );
    case 'service_token_rotated':
      return rotationSentence(mail);
    case 'owner_added':
      return `${mail.newOwner} is now an owner of the organization ${quotedName(mail.organizationName)}.`;
  }
}

function rotationSentence({
  organizationName,
  tokenName,
  rotatedBy,
}: Extract<SecurityMail, { readonly kind: 'service_token_rotated' }>): string {
  const token = `the service token ${quotedName(tokenName)} of the organization ${quotedName(organizationName)}`;
  const done =
    rotatedBy === null
      ? `With your Plumbline account, ${token} was given a new secret.`
      : `${rotatedBy} has given a new secret to ${token}, which was created with your Plumbline account.`;
  return `${done} Programs can use the organization with it until the token expires or is revoked.`;
}
