import type { JSX } from 'preact';

/** Leads to the mails that this server keeps in a folder, where it sends none and lets this browser read them. */
export function MailboxLink(): JSX.Element | null {
  const address = document.querySelector<HTMLMetaElement>('meta[name="plumbline-mailbox"]')?.content;
  if (address === undefined) return null;
  return (
    <div class="banner">
      <p>This server sends no mail. It keeps mails in a folder that you can read here.</p>
      <a class="button" href={address} target="_blank" rel="noopener">
        Open the mailbox
      </a>
    </div>
  );
}
