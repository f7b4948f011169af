/** The kinds of tokens that are sent on request. */
export type RequestedTokenKind = 'verification' | 'reset';
/** The tokens of a change of an address: one is sent to the current address, one to the new one. */
export type EmailChangeTokenKind = 'email_change_by_old' | 'email_change_by_new';
export type OneTimeTokenKind = RequestedTokenKind | EmailChangeTokenKind;
