import { Box, Button, TextInput, VisuallyHidden } from '@mantine/core'
import { IconChevronDown, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import type { InstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import { api } from '../../api/http.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { deployQueries } from '../../api/deploy-queries.ts'
import { ConfirmDialog } from '../../components/list-kit/dialogs.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { QueryState } from '../../components/query-state.tsx'
import * as t from '../../texts.ts'
import classes from './deploy-page.module.css'
import { KeyUses } from './key-uses.tsx'
import { keyEnding, keyLimits } from './key-texts.ts'
import { invalidate } from '../../api/query-client.ts'
import { visibleName } from '../../text/visible-name.ts'

interface Named {
  id: string
  name: string
}

/** Customer, groups and tags that new devices of a key get; nothing for a key without a place. */
function KeyPlace({ keyId }: { keyId: string }) {
  const { can } = useSession()
  const { data } = useQuery(deployQueries.placements)
  const place = data?.find((one) => one.keyId === keyId)
  const customers = useQuery({
    ...organizationQueries.customers,
    enabled: place !== undefined && can('tenant.customers.read'),
  }).data
  const groups = useQuery({
    ...organizationQueries.deviceGroups,
    enabled: place !== undefined && can('tenant.device-groups.read'),
  }).data
  const tags = useQuery({ ...organizationQueries.tags, enabled: place !== undefined }).data
  if (!place) {
    return null
  }
  const named = (things: readonly Named[] | undefined, ids: readonly (string | null)[]) =>
    ids.flatMap((id) => things?.find((thing) => thing.id === id)?.name ?? [])
  const names = [
    ...named(customers, [place.customerId]),
    ...named(groups, place.deviceGroupIds),
    ...named(tags, place.tagIds),
  ]
  const text = t.deploy.goesTo(names.map(visibleName).join(', '))
  return names.length === 0 ? null : (
    <div className="small muted truncate" title={text}>
      {text}
    </div>
  )
}

/** Reason why a key does not work, although it has not ended. */
function KeyStop({ installerKey }: { installerKey: InstallerKeyResponseDto }) {
  const { data } = useQuery({ ...deployQueries.stoppedInstallerKeys, refetchInterval: refreshMs })
  const stop = data?.find(({ keyId }) => keyId === installerKey.id)
  return (
    stop && <div className="small">{t.deploy.stopped[stop.reason](visibleName(installerKey.creatorName ?? ''))}</div>
  )
}

const refreshMs = 10_000

function NameField({ installerKey, onDone }: { installerKey: InstallerKeyResponseDto; onDone: () => void }) {
  const [name, setName] = useState(installerKey.friendlyName ?? '')
  const rename = useMutation({
    mutationFn: () =>
      api.installerKeys.rename({ params: { keyId: installerKey.id }, body: { friendlyName: name.trim() } }),
    onSuccess: async () => {
      await invalidate(deployQueries.installerKeys.queryKey)
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
      aria-label={t.common.name}
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
  return (
    <ConfirmDialog
      isOpen={installerKey !== undefined}
      title={t.deploy.deleteKey(installerKey?.friendlyName ?? t.deploy.unnamed)}
      confirm={t.deploy.deleteKeyConfirm}
      onClose={onClose}
      onConfirm={async () => {
        if (installerKey) {
          await api.installerKeys.delete({ params: { keyId: installerKey.id } })
          await invalidate(deployQueries.installerKeys.queryKey)
        }
      }}
    >
      {t.deploy.deleteKeyHint}
    </ConfirmDialog>
  )
}

/** Table of keys with their uses; working keys can be renamed, all can be deleted. */
function KeyTable({ keys, isEnded = false }: { keys: readonly InstallerKeyResponseDto[]; isEnded?: boolean }) {
  const { can } = useSession()
  const [renamedId, setRenamedId] = useState<string>()
  const [shown, setShown] = useState<InstallerKeyResponseDto>()
  const [toDelete, setToDelete] = useState<InstallerKeyResponseDto>()
  const mayWrite = can('installer-key.write')
  return (
    <>
      <table className={classes.keys}>
        <thead>
          <tr>
            <th scope="col">{t.common.name}</th>
            <th scope="col">{isEnded ? t.deploy.ended : t.deploy.kind}</th>
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
                {!isEnded && <KeyPlace keyId={key.id} />}
              </td>
              <td>
                {isEnded ? keyEnding(key) : keyLimits(key)}
                {!isEnded && <KeyStop installerKey={key} />}
              </td>
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
                    {!isEnded && (
                      <IconButton
                        label={t.deploy.rename}
                        icon={<IconPencil size={16} stroke={1.6} />}
                        onClick={() => setRenamedId(key.id)}
                      />
                    )}
                    <IconButton
                      label={t.common.delete}
                      icon={<IconTrash size={16} stroke={1.6} />}
                      onClick={() => setToDelete(key)}
                    />
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

/** Installer keys that are still valid. */
export function KeyList() {
  const query = useQuery({ ...deployQueries.installerKeys, refetchInterval: refreshMs })
  const { data: keys } = query
  if (!keys) {
    return (
      <div style={{ minHeight: 80 }}>
        <QueryState query={query} height={80} />
      </div>
    )
  }
  return keys.length === 0 ? <p className="muted">{t.deploy.noKeys}</p> : <KeyTable keys={keys} />
}

/** Keys that are used up or expired, with the devices that used them; read when they are opened. */
export function EndedKeys() {
  const [isOpen, setIsOpen] = useState(false)
  const options = { ...deployQueries.endedInstallerKeys, refetchInterval: refreshMs, enabled: isOpen }
  const query = useQuery(options)
  const { data: keys } = query
  return (
    <Box mt={12}>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={isOpen}
        rightSection={<IconChevronDown size={14} className={classes.chevron} aria-hidden />}
        onClick={() => setIsOpen(!isOpen)}
      >
        {t.deploy.endedKeys}
      </Button>
      {isOpen && !keys && <QueryState query={query} height={80} />}
      {isOpen && keys?.length === 0 && <p className="muted">{t.deploy.noEndedKeys}</p>}
      {isOpen && keys && keys.length > 0 && <KeyTable keys={keys} isEnded />}
    </Box>
  )
}
