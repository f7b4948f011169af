/** One broken rule of the contract's `PasswordViolation`. */
export interface PasswordViolation {
  readonly rule: 'min_length' | 'max_bytes' | 'letter' | 'digit' | 'common';
  readonly message: string;
}

const minLength = 12;
/** bcrypt reads no further; what is longer is refused rather than cut off (OWASP ASVS 6.2.8). */
export const maxPasswordBytes = 72;

/**
 * Checks a new password against all rules at once.
 *
 * @returns every rule that it breaks; none: it is acceptable
 */
export async function checkPassword(password: string): Promise<PasswordViolation[]> {
  const violations: PasswordViolation[] = [];
  if (Array.from(password).length < minLength) {
    violations.push({ rule: 'min_length', message: `Use at least ${minLength} characters.` });
  }
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    violations.push({ rule: 'max_bytes', message: `Use at most ${maxPasswordBytes} bytes in UTF-8.` });
  }
  if (!/\p{L}/u.test(password)) violations.push({ rule: 'letter', message: 'Use at least one letter.' });
  if (!/\p{Nd}/u.test(password)) violations.push({ rule: 'digit', message: 'Use at least one digit.' });
  if ((await commonPasswords()).has(password.toLowerCase())) {
    violations.push({ rule: 'common', message: 'Use a password that is not on lists of well-known ones.' });
  }
  return violations;
}

let common: Promise<ReadonlySet<string>> | undefined;

/** The list is large, so that it is read when the first password is checked, not when the server starts. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  return (common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map(String)),
  ));
}
