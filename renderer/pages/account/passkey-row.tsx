import { ActionIcon, Group, Modal, Text } from '@mantine/core'
import { IconFingerprint, IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { PasskeyDto } from '../../../shared/dtos/passkey.ts'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { ConfirmDialog, NameForm } from '../../components/list-kit/dialogs.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'

/** Row of a passkey: name, host, last use and actions. */
export function PasskeyRow({ passkey }: { passkey: PasskeyDto }) {
  const { id: passkeyId, name, host, lastUsedAt } = passkey
  const [dialog, setDialog] = useState<'rename' | 'remove' | null>(null)
  const close = () => setDialog(null)
  const rename = async (next: string) => {
    await api.passkeys.rename({ params: { passkeyId }, body: { name: next } })
    await invalidate(accountQueries.passkeys.queryKey)
  }
  const remove = async () => {
    await api.passkeys.remove({ params: { passkeyId } })
    await invalidate(accountQueries.passkeys.queryKey)
  }
  return (
    <Group wrap="nowrap" align="flex-start">
      <IconFingerprint size={20} stroke={1.6} aria-hidden />
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text truncate>{name}</Text>
        <Text size="xs" c="dimmed">
          {lastUsedAt === null ? (
            t.passkeys.neverUsed
          ) : (
            <>
              {t.passkeys.lastUsed} <RelativeTime at={lastUsedAt} />
            </>
          )}
          {' · '}
          {t.passkeys.host(host)}
        </Text>
      </div>
      <ActionIcon variant="subtle" aria-label={t.passkeys.rename(name)} onClick={() => setDialog('rename')}>
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="danger"
        aria-label={t.passkeys.remove(name)}
        onClick={() => setDialog('remove')}
      >
        <IconTrash size={16} />
      </ActionIcon>
      <Modal opened={dialog === 'rename'} onClose={close} title={t.passkeys.rename(name)}>
        <NameForm submit={t.common.save} current={name} save={rename} onSaved={close} onCancel={close} />
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        onClose={close}
        title={t.passkeys.removeTitle}
        confirm={t.passkeys.removeConfirm}
        onConfirm={remove}
      >
        {t.passkeys.removeHint(name)}
      </ConfirmDialog>
    </Group>
  )
}
