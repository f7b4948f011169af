import { testPassword, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

/** Marks the organization of an owner for deletion. */
export function mark(platform: TestPlatform, by: TestUser, password = testPassword): Promise<JsonReply> {
  const request = { token: by.accessToken, body: { current_password: password } };
  return platform.json('POST', `/api/v1/organizations/${by.orgId}/deletion`, request);
}

export function takeBack(platform: TestPlatform, by: TestUser): Promise<JsonReply> {
  return platform.json('DELETE', `/api/v1/organizations/${by.orgId}/deletion`, { token: by.accessToken });
}

export function read(platform: TestPlatform, by: TestUser): Promise<JsonReply> {
  return platform.json('GET', `/api/v1/organizations/${by.orgId}`, { token: by.accessToken });
}
