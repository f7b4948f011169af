import { inUtc, plainName, type Wording } from './wording.js';

/** Tells an owner that the organization was marked for deletion, or that this was taken back. */
export interface OrganizationDeletionMail {
  readonly kind: 'organization_deletion';
  /** The page of the organization in the console. */
  readonly link: string;
  readonly organization: string;
  /** The name or the address of the user who did it. */
  readonly by: string;
  /** When the removal begins, RFC 3339; null: the deletion was taken back. */
  readonly dueAt: string | null;
}

export function organizationDeletionWording({ organization, by, dueAt }: OrganizationDeletionMail): Wording {
  const name = plainName(organization);
  const action = 'Open the organization';
  if (dueAt === null) {
    return {
      subject: `${name} will not be deleted`,
      lines: [
        `${plainName(by)} has taken the deletion of ${name} on Plumbline back.`,
        'Everything works again as before. Start syncs again where you need them.',
      ],
      action,
    };
  }
  return {
    subject: `${name} will be deleted on ${inUtc(dueAt)}`,
    lines: [
      `${plainName(by)} has marked the organization ${name} on Plumbline for deletion.`,
      `On ${inUtc(dueAt)} it will be removed, with its members, connections, figures and service tokens. ` +
        'Until then no sync runs, its service tokens are refused, and every owner can take the deletion back.',
      'You get this mail because you are an owner. The page of the organization says more:',
    ],
    action,
  };
}
