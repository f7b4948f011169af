import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { mailLink } from '../../../../src/platform/messages/mail/links.js';
import { renderMail } from '../../../../src/platform/messages/mail/mail.js';

const invite = (organizationName: string, invitedBy: string | null = null): ReturnType<typeof renderMail> =>
  renderMail({ kind: 'invite', link: 'https://app.example.com/accept-invite?token=abc', organizationName, invitedBy });

describe('a mail', () => {
  it('has its link in the text and in the HTML part', () => {
    for (const kind of ['verification', 'reset'] as const) {
      const { text, html } = renderMail({ kind, link: 'https://app.example.com/x?token=abc' });
      expect(text).toContain('\nhttps://app.example.com/x?token=abc\n');
      expect(html).toContain('<a href="https://app.example.com/x?token=abc">');
    }
  });

  it('says how long its link is valid', () => {
    expect(renderMail({ kind: 'verification', link: 'x' }).text).toContain('24 hours');
    expect(renderMail({ kind: 'reset', link: 'x' }).text).toContain('one hour');
    expect(invite('Example Works').text).toContain('72 hours');
  });

  it('names the inviter, if known', () => {
    expect(invite('Example Works', 'Robin Example').text).toContain('Robin Example invites you to join Example Works');
    expect(invite('Example Works').text).toContain('You have been invited to join Example Works');
  });

  it('escapes every name in HTML, and shows it as it is in the text', () => {
    const { text, html } = invite('<script>alert("1")</script> & \'Sons\'', '<b>Robin</b>');
    expect(text).toContain('<b>Robin</b> invites you to join <script>alert("1")</script> & \'Sons\'');
    expect(html).not.toMatch(/<script|<b>/);
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Sons&#39;');
  });

  it('drops characters of older names that control or rearrange text', () => {
    const { subject, text, html } = invite('Works\u0085\u202eevil', '\u2066Robin\u2069\u0000Example\u200f');
    expect(subject).toBe('Invitation to Works evil');
    expect(text).toContain('Robin Example invites you to join Works evil on');
    expect(subject + text + html).not.toMatch(/[\u0000\u0085\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
  });

  it('lets no name start a new line', () => {
    const { subject, text } = invite('Works\r\nBcc: everybody@example.com', 'Robin\n\nhttps://evil.example');
    expect(subject).toBe('Invitation to Works Bcc: everybody at example com');
    expect(text).not.toMatch(/^(Bcc:|https:\/\/evil)/m);
  });

  it.each([
    ['You won! Claim at https://evil.example/prize', 'You won! Claim at https evil example/prize'],
    ['evil.example', 'evil example'],
    ['www.xn--e1aybc.xn--p1ai', 'www xn--e1aybc xn--p1ai'],
    ['例え。テスト', '例え テスト'],
    ['evil\uff0eexample', 'evil example'],
    ['192.0.2.1/prize', '192 0 2 1/prize'],
    ['robin@example.com', 'robin at example com'],
    ['http:evil', 'http evil'],
    ['tel:+123', 'tel +123'],
    ['mailto:x@y', 'mailto x at y'],
    ['web+app:open ://evil', 'web+app open evil'],
    ['Robin, Inc. and St. Ives', 'Robin, Inc. and St. Ives'],
    ['Release: 10:30', 'Release: 10:30'],
  ])('leaves nothing of the name %j that mail programs turn into a link', (name, plain) => {
    const { subject, text, html } = invite(name, name);
    expect(subject).toBe(`Invitation to ${plain}`);
    for (const part of [text, html]) expect(part).toContain(`${plain} invites you to join ${plain} on Plumbline.`);
  });

  it('sends encoded words in names as they are written', async () => {
    const composer = createTransport({ streamTransport: true, buffer: true });
    const { message } = await composer.sendMail({ to: 'a@example.com', ...invite('=?utf-8?B?QmNj?=') });
    const raw = Buffer.isBuffer(message) ? message : '';
    expect((await PostalMime.parse(raw)).subject).toBe('Invitation to = ?utf-8?B?QmNj?=');
  });
});

describe('a mail about the deletion of an organization', () => {
  const mail = {
    kind: 'organization_deletion',
    link: 'https://app.example.com/console/organization',
    organization: 'Example\nWorks',
    by: 'Robin Example',
    dueAt: '2026-03-09T09:15:00.000Z',
  } as const;

  it('says who has marked it, and when it will be removed', () => {
    const { subject, text } = renderMail(mail);
    expect(subject).toBe('Example Works will be deleted on 2026-03-09 09:15 UTC');
    expect(text).toContain('Robin Example has marked the organization Example Works');
    expect(text).toContain('\nhttps://app.example.com/console/organization\n');
  });

  it('says that it was taken back', () => {
    const { subject, text } = renderMail({ ...mail, dueAt: null });
    expect(subject).toBe('Example Works will not be deleted');
    expect(text).toContain('Robin Example has taken the deletion of Example Works');
  });
});

describe('a link', () => {
  it('points to the page of the application, with the token escaped', () => {
    expect(mailLink('https://app.example.com/base', 'reset-password', 'a+b/c=&d')).toBe(
      'https://app.example.com/base/reset-password?token=a%2Bb%2Fc%3D%26d',
    );
  });
});
