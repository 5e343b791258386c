import {
  ActionIcon,
  Button,
  Group,
  Modal,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { InstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { ProblemAlert, problemText } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import classes from './deploy-page.module.css'
import { KeyUses } from './key-uses.tsx'
import { KeyPlace } from './key-place.tsx'
import { keyLimits } from './key-words.ts'

const refreshMs = 10_000

function NameField({ installerKey, onDone }: { installerKey: InstallerKeyResponseDto; onDone: () => void }) {
  const { tenantId } = useSession().user
  const client = useQueryClient()
  const [name, setName] = useState(installerKey.friendlyName ?? '')
  const rename = useMutation({
    mutationFn: () =>
      api.installerKeys.rename({ tenantId, params: { keyId: installerKey.id }, body: { friendlyName: name.trim() } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: queries.installerKeys(tenantId).queryKey })
      onDone()
    },
  })
  const handleSave = () => {
    if (name.trim() === '' || name.trim() === installerKey.friendlyName) {
      onDone()
    } else if (!rename.isPending) {
      rename.mutate()
    }
  }
  return (
    <TextInput
      size="xs"
      aria-label={t.deploy.name}
      autoFocus
      maxLength={100}
      value={name}
      error={rename.error && problemText(rename.error)}
      onChange={(event) => setName(event.currentTarget.value)}
      onBlur={handleSave}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          handleSave()
        } else if (event.key === 'Escape') {
          onDone()
        }
      }}
    />
  )
}

function DeleteKey({
  installerKey,
  onClose,
}: {
  installerKey: InstallerKeyResponseDto | undefined
  onClose: () => void
}) {
  const { tenantId } = useSession().user
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: (keyId: string) => api.installerKeys.delete({ tenantId, params: { keyId } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: queries.installerKeys(tenantId).queryKey })
      onClose()
    },
  })
  return (
    <Modal
      opened={installerKey !== undefined}
      onClose={onClose}
      title={t.deploy.deleteKey(installerKey?.friendlyName ?? t.deploy.unnamed)}
    >
      <Stack>
        <Text>{t.deploy.deleteKeyHint}</Text>
        {remove.error && <ProblemAlert error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t.common.cancel}
          </Button>
          <Button
            color="danger"
            loading={remove.isPending}
            onClick={() => installerKey && remove.mutate(installerKey.id)}
          >
            {t.deploy.deleteKeyConfirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Installer keys that are still valid. */
export function KeyList() {
  const { user, can } = useSession()
  const {
    data: keys,
    error,
    isPending,
    refetch,
  } = useQuery({
    ...queries.installerKeys(user.tenantId),
    refetchInterval: refreshMs,
  })
  const [renamedId, setRenamedId] = useState<string>()
  const [shown, setShown] = useState<InstallerKeyResponseDto>()
  const [toDelete, setToDelete] = useState<InstallerKeyResponseDto>()
  const isLate = useIsLate(isPending)
  const mayWrite = can('installer-key.write')

  if (error && !keys) {
    return <ProblemAlert error={error} onRetry={() => void refetch()} />
  }
  if (!keys) {
    return <div style={{ minHeight: 80 }}>{isLate && <Skeleton height={80} />}</div>
  }
  if (keys.length === 0) {
    return <p className="muted">{t.deploy.noKeys}</p>
  }
  return (
    <>
      <table className={classes.keys}>
        <thead>
          <tr>
            <th scope="col">{t.deploy.name}</th>
            <th scope="col">{t.deploy.kind}</th>
            <th scope="col">{t.deploy.used}</th>
            <th scope="col" className={classes.created}>
              {t.deploy.created}
            </th>
            <th scope="col">
              <VisuallyHidden>{t.deploy.actions}</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td className="truncate" title={key.friendlyName ?? undefined}>
                {renamedId === key.id ? (
                  <NameField installerKey={key} onDone={() => setRenamedId(undefined)} />
                ) : (
                  (key.friendlyName ?? <span className="muted">{t.deploy.unnamed}</span>)
                )}
                <KeyPlace keyId={key.id} />
              </td>
              <td>{keyLimits(key)}</td>
              <td className="tabular">
                <button
                  type="button"
                  className="link-button"
                  aria-label={t.deploy.showUses(key.friendlyName ?? t.deploy.unnamed, key.usageCount)}
                  onClick={() => setShown(key)}
                >
                  {t.deploy.usedTimes(key.usageCount)}
                </button>
              </td>
              <td className={classes.created}>
                <RelativeTime at={key.createdAt} />
              </td>
              <td className={classes.actions}>
                {mayWrite && (
                  <>
                    <Tooltip label={t.deploy.rename}>
                      <ActionIcon aria-label={t.deploy.rename} onClick={() => setRenamedId(key.id)}>
                        <IconPencil size={16} stroke={1.6} />
                      </ActionIcon>
                    </Tooltip>
                    <Tooltip label={t.common.delete}>
                      <ActionIcon aria-label={t.common.delete} onClick={() => setToDelete(key)}>
                        <IconTrash size={16} stroke={1.6} />
                      </ActionIcon>
                    </Tooltip>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <KeyUses installerKey={shown} onClose={() => setShown(undefined)} />
      <DeleteKey installerKey={toDelete} onClose={() => setToDelete(undefined)} />
    </>
  )
}
