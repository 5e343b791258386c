import {
  IconBell,
  IconBrandDiscord,
  IconBrandSlack,
  IconBrandTeams,
  IconBrandTelegram,
  IconMail,
} from '@tabler/icons-react'
import type { ChatService, ContactMethodBody, ContactService } from '../../../shared/dtos/contact-method.ts'

export const contactIcons = {
  mail: IconMail,
  ntfy: IconBell,
  slack: IconBrandSlack,
  teams: IconBrandTeams,
  discord: IconBrandDiscord,
  telegram: IconBrandTelegram,
} as const satisfies Record<ContactService, unknown>

type Field = keyof Pick<ContactMethodBody, 'address' | 'token' | 'chat'>

/** Fields of the form for each service, in their order, and whether one must be filled in. */
export const contactFields: Readonly<Record<ChatService, readonly { field: Field; isRequired: boolean }[]>> = {
  ntfy: [
    { field: 'address', isRequired: true },
    { field: 'token', isRequired: false },
  ],
  slack: [{ field: 'address', isRequired: true }],
  teams: [{ field: 'address', isRequired: true }],
  discord: [{ field: 'address', isRequired: true }],
  telegram: [
    { field: 'token', isRequired: true },
    { field: 'chat', isRequired: true },
    { field: 'address', isRequired: false },
  ],
}
