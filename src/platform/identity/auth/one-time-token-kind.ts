export type OneTimeTokenKind = 'verification' | 'reset';
