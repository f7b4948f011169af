import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { forgot, login, newEmail, register, reset } from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const refused = { status: 422, body: { type: '/problems/password-rejected', violations: [{ rule: 'common' }] } };

it('A password change refuses the current password', async () => {
  const { email, password, accessToken: token } = await platform.signUp({ organization: null });
  const body = { current_password: password, new_password: password };
  expect(await platform.json('POST', '/api/v1/auth/change-password', { token, body })).toMatchObject(refused);
  expect((await login(platform, email)).status).toBe(200);
});

it('A password reset refuses the current password and keeps its token', async () => {
  const { email, password } = await platform.signUp({ organization: null });
  await forgot(platform, email);
  const { token } = await platform.lastMail(email);
  expect(await reset(platform, token, password)).toMatchObject(refused);
  expect((await reset(platform, token, 'nine loud harbours 9')).status).toBe(200);
});

it("A registration refuses a password made of the user's address", async () => {
  const email = newEmail();
  expect(await register(platform, { email, password: email })).toMatchObject({ status: 422 });
  expect(
    await register(platform, { email: 'robin7.miller@example.com', password: 'robin7.miller@example.com' }),
  ).toMatchObject(refused);
});
