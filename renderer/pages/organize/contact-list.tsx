import { ActionIcon, Button, Stack, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ContactDto } from '../../../shared/api/appliance-organization.ts'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import classes from './organize.module.css'
import rows from '../../components/pane-rows.module.css'
import { submitHandler } from '../../components/request-form.tsx'

const fields = [
  { name: 'name', label: t.organize.customers.contactName },
  { name: 'role', label: t.organize.customers.role },
  { name: 'email', label: t.common.email },
  { name: 'phone', label: t.organize.customers.phone },
] as const

const newContact: ContactDto = { name: '', role: '', email: '', phone: '' }
const maxContacts = 20

const linkOf = ({ email, phone }: ContactDto) => [
  email && { href: `mailto:${email}`, text: email },
  phone && { href: `tel:${phone.replaceAll(/[^\d+]/g, '')}`, text: phone },
]

/** Contacts as links to write or to call. */
const ContactView = ({ contact }: { contact: ContactDto }) => (
  <li className={rows.row}>
    <span className={rows.text}>
      <span>
        <strong>{contact.name}</strong> {contact.role && <span className="muted">{contact.role}</span>}
      </span>
      {linkOf(contact).map((link) =>
        link ? (
          <a key={link.href} href={link.href}>
            {link.text}
          </a>
        ) : null,
      )}
    </span>
  </li>
)

interface ContactListProps {
  contacts: readonly ContactDto[]
  readOnly: boolean
  onSave: (contacts: ContactDto[]) => Promise<unknown>
}

/** Contacts of a customer; a form changes all of them at once. */
export function ContactList({ contacts, readOnly, onSave }: ContactListProps) {
  const [draft, setDraft] = useState<ContactDto[]>()
  const save = useMutation({ mutationFn: onSave, onSuccess: () => setDraft(undefined) })
  if (draft === undefined) {
    return (
      <>
        <ul className={rows.list}>
          {contacts.map((contact, index) => (
            <ContactView key={index} contact={contact} />
          ))}
        </ul>
        {!readOnly && (
          <Button
            variant="default"
            size="xs"
            onClick={() => setDraft(contacts.length > 0 ? [...contacts] : [newContact])}
          >
            {contacts.length > 0 ? t.organize.customers.editContacts : t.organize.customers.addContact}
          </Button>
        )}
      </>
    )
  }
  return (
    <Stack component="form" gap={10} onSubmit={submitHandler(() => save.mutate(draft))}>
      {draft.map((contact, index) => (
        <div key={index} className={classes.contact}>
          {fields.map(({ name, label }, place) => (
            <TextInput
              key={name}
              size="xs"
              label={label}
              required={name === 'name'}
              withAsterisk={false}
              maxLength={name === 'email' ? 254 : name === 'phone' ? 50 : 100}
              style={{ gridColumn: (place % 2) + 1 }}
              value={contact[name]}
              onChange={(event) =>
                setDraft(draft.map((one, at) => (at === index ? { ...one, [name]: event.currentTarget.value } : one)))
              }
            />
          ))}
          <ActionIcon
            size="sm"
            mt={22}
            style={{ gridColumn: 3, gridRow: 1 }}
            aria-label={t.organize.customers.removeContact(contact.name)}
            onClick={() => setDraft(draft.filter((_, at) => at !== index))}
          >
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
      {save.error && <p role="alert">{problemText(save.error)}</p>}
      <div className={classes.name}>
        <Button type="submit" size="xs" loading={save.isPending}>
          {t.common.save}
        </Button>
        {draft.length < maxContacts && (
          <Button variant="default" size="xs" onClick={() => setDraft([...draft, newContact])}>
            {t.organize.customers.addContact}
          </Button>
        )}
        <Button variant="subtle" size="xs" onClick={() => setDraft(undefined)}>
          {t.common.cancel}
        </Button>
      </div>
    </Stack>
  )
}
