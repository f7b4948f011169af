/** OpenSSL's check of certificates and keys, in a separate module because it takes time to load. */
export { createSecureContext } from 'node:tls';
