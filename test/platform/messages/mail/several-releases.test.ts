/** Servers of two releases send from one outbox while an installation is upgraded. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../../src/platform/server/secrets/secret-box.js';
import { sealMail } from '../../../../src/platform/messages/mail/outbox.store.js';
import { systemRandom } from '../../../../src/platform/random.js';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { newEmail } from '../../identity/auth/requests.js';

/** The key of every test platform. */
const secrets = createSecretBox(Buffer.alloc(32, 7));

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

describe('a server of an earlier release', () => {
  it('takes the mails of the kinds that it knows, and leaves the others', async () => {
    const { sql } = platform.database;
    const [known, unknown] = [newEmail(), newEmail()];
    await sql.begin(async (transaction) => {
      // Servers do not see the mails before the end of the transaction.
      for (const [recipient, kind] of [
        [known, 'reset'],
        [unknown, 'email_change_by_new'],
      ] as const) {
        const { id, sealed } = sealMail({ kind, link: 'https://plumbline.example.com/' }, secrets, systemRandom);
        await transaction`
          insert into outgoing_mails (id, kind, recipient, payload_sealed) values (${id}, ${kind}, ${recipient}, ${sealed})`;
      }
      const visible = await transaction`select recipient from mail_outbox where recipient in (${known}, ${unknown})`;
      expect(visible).toEqual([{ recipient: known }]);
      // As release 0.1 takes a mail.
      const taken = await transaction`
        update mail_outbox set attempts = attempts + 1
        where id = (select id from mail_outbox where recipient in (${known}, ${unknown})
          order by available_at, id limit 1 for update skip locked)
        returning kind`;
      expect(taken).toEqual([{ kind: 'reset' }]);
    });
    expect((await platform.lastMail(unknown)).subject).toBe('Confirm your new e-mail address');
  });

  it('adds mails, which a server of this release sends', async () => {
    const recipient = newEmail();
    const { id, kind, sealed } = sealMail(
      { kind: 'reset', link: 'https://plumbline.example.com/' },
      secrets,
      systemRandom,
    );
    await platform.database.sql`
      insert into mail_outbox (id, kind, recipient, payload_sealed, created_at, available_at)
      values (${id}, ${kind}, ${recipient}, ${sealed}, now(), now())`;
    expect((await platform.lastMail(recipient)).subject).toBe('Reset your password');
  });
});

describe('a server of this release', () => {
  it('leaves mails of a kind that it does not know to later ones', async () => {
    const recipient = newEmail();
    const { id, sealed } = sealMail({ kind: 'reset', link: 'https://plumbline.example.com/' }, secrets, systemRandom);
    await platform.database.sql`
      insert into outgoing_mails (id, kind, recipient, payload_sealed) values (${id}, 'of_later', ${recipient}, ${sealed})`;
    await platform.running.mails.drain();
    expect(await platform.database.sql`select attempts from outgoing_mails where id = ${id}`).toEqual([
      { attempts: 0 },
    ]);
    expect(platform.mailbox.to(recipient)).toEqual([]);
  });
});
