import type { SchemeUse } from '@plumbline/contract/contract-types';
import { schemes } from '../../../../generated/platform/routes.js';

/** The schemes of users and service tokens, where no operation of the contract names a scope. */
export const organizationSchemes: readonly SchemeUse[] = [
  { ...schemes.bearer, scope: null },
  { ...schemes.serviceToken, scope: null },
];
