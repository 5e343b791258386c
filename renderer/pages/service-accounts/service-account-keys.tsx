import { Badge, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { dayMs } from '../../../shared/durations.ts'
import { textProps } from '../../components/field-props.ts'
import { ConfirmDialog, DialogForm, FormButton } from '../../components/list-kit/dialogs.tsx'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { calendarDay, exactTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import {
  serviceAccountQueries,
  serviceAccountRights,
  doorOf,
  keyStateOf,
  type ServiceAccount,
  type Key,
} from './service-accounts.ts'
import commandBox from '../../components/command.module.css'
import classes from './service-accounts.module.css'
import { CopyButton } from '../../components/copy-button.tsx'
import { Secret } from '../../components/secret.tsx'
import { invalidate } from '../../api/query-client.ts'

const path = '/api/v1/devices'

/** A new key, shown once, with lines that try it. Keys hold no quotes. */
function ShownKey({ secret, onClose }: { secret: string | undefined; onClose: () => void }) {
  const { tenantId } = useSession().user
  const url = `${window.location.origin}${path}?tenantId=${tenantId}`
  const lines = (key: string) => [
    { label: t.serviceAccounts.curl, line: `curl -H 'x-api-key: ${key}' '${url}'` },
    {
      label: t.serviceAccounts.powerShell,
      line: `Invoke-RestMethod -Headers @{ 'x-api-key' = '${key}' } -Uri '${url}'`,
    },
  ]
  return (
    <Secret
      title={t.serviceAccounts.keyTitle}
      hint={t.serviceAccounts.keyHint}
      label={t.serviceAccounts.theKey}
      copy={t.serviceAccounts.copyKey}
      value={secret}
      onClose={onClose}
    >
      {(key, onSaved) => (
        <>
          <p>{t.serviceAccounts.tryIt}</p>
          {lines(key).map(({ label, line }) => (
            <div key={label}>
              <h3 className={classes.lineTitle}>{label}</h3>
              <div className={classes.line}>
                <pre className={commandBox.command} aria-label={label}>
                  {line}
                </pre>
                <CopyButton text={line} hint={`${t.serviceAccounts.copyLine}: ${label}`} onCopied={onSaved} />
              </div>
            </div>
          ))}
        </>
      )}
    </Secret>
  )
}

/** Lifetimes in days; empty is without an end. */
const lifetimes = ['90', '365', '30', ''] as const

interface NewKeyProps {
  account: ServiceAccount
  onCreated: (key: string) => void
  onCancel: () => void
}

function NewKey({ account, onCreated, onCancel }: NewKeyProps) {
  const { tenantId } = useSession().user
  const [name, setName] = useState('')
  const [days, setDays] = useState<string>(lifetimes[0])
  return (
    <DialogForm
      submit={t.serviceAccounts.createKey}
      canSubmit={name.trim() !== ''}
      save={() =>
        doorOf(account.owner, tenantId).createKey(account.id, {
          name: name.trim(),
          expiresAt: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
        })
      }
      onSaved={({ plainTextSecretKey }) => onCreated(plainTextSecretKey)}
      onCancel={onCancel}
    >
      <TextInput
        label={t.serviceAccounts.keyName}
        description={t.serviceAccounts.keyNameHint}
        maxLength={100}
        data-autofocus
        autoComplete="off"
        {...textProps(name, setName)}
      />
      <NativeSelect
        label={t.serviceAccounts.keyEnd}
        data={lifetimes.map((value) => ({ value, label: t.serviceAccounts.lifetime(value) }))}
        {...textProps(days, setDays)}
      />
    </DialogForm>
  )
}

interface KeyRowProps {
  listed: Key
  mayChange: boolean
  onRevoke: () => void
  onPurge: () => void
}

function KeyRow({ listed: key, mayChange, onRevoke, onPurge }: KeyRowProps) {
  const now = useNow()
  const state = keyStateOf(key, now)
  return (
    <li className={classes.key}>
      <div className={classes.keyText}>
        <span className="wrap-anywhere">
          <bdi>{visibleName(key.name)}</bdi>{' '}
          {state !== 'active' && (
            <Badge size="xs" variant="default">
              {t.serviceAccounts.keyState[state]}
            </Badge>
          )}
        </span>
        <span className="small muted">
          {key.lastUsedAt === null ? (
            t.serviceAccounts.keyNeverUsed
          ) : (
            <>
              {t.serviceAccounts.lastUsed} <RelativeTime at={key.lastUsedAt} />
            </>
          )}
          {' · '}
          {key.expiresAt === null ? (
            t.serviceAccounts.noEnd
          ) : (
            <span title={exactTime(Date.parse(key.expiresAt))}>
              {t.serviceAccounts.expires(calendarDay(Date.parse(key.expiresAt)))}
            </span>
          )}
        </span>
      </div>
      {mayChange &&
        (state === 'active' ? (
          <Button
            variant="default"
            size="xs"
            aria-label={t.serviceAccounts.revokeOne(visibleName(key.name))}
            onClick={onRevoke}
          >
            {t.serviceAccounts.revoke}
          </Button>
        ) : (
          <Button
            variant="default"
            size="xs"
            aria-label={t.serviceAccounts.purgeOne(visibleName(key.name))}
            onClick={onPurge}
          >
            {t.common.delete}
          </Button>
        ))}
    </li>
  )
}

/** Keys of an account: made and shown once, last use, revoke, delete for good. */
export function ServiceAccountKeys({ account }: { account: ServiceAccount }) {
  const { user, can } = useSession()
  const [made, setMade] = useState<string>()
  const [ending, setEnding] = useState<{ key: Key; how: 'revoke' | 'purge' }>()
  const { owner, id, credentials, isEnabled } = account
  const mayChange = can(serviceAccountRights[owner].keys)
  const door = doorOf(owner, user.tenantId)
  const reload = () => invalidate(serviceAccountQueries.all)
  const name = visibleName(ending?.key.name ?? '')
  const isPurge = ending?.how === 'purge'
  return (
    <PaneSection title={t.serviceAccounts.keys}>
      {credentials.length === 0 ? (
        <p className="muted">{t.serviceAccounts.noKeys}</p>
      ) : (
        <ul className={classes.keys} aria-label={t.serviceAccounts.keys}>
          {credentials.map((key) => (
            <KeyRow
              key={key.id}
              listed={key}
              mayChange={mayChange}
              onRevoke={() => setEnding({ key, how: 'revoke' })}
              onPurge={() => setEnding({ key, how: 'purge' })}
            />
          ))}
        </ul>
      )}
      {mayChange && (
        <Group gap="xs">
          <FormButton label={t.serviceAccounts.newKey} button={{ disabled: !isEnabled }}>
            {(close) => (
              <NewKey
                account={account}
                onCancel={close}
                onCreated={(key) => {
                  close()
                  setMade(key)
                  void reload()
                }}
              />
            )}
          </FormButton>
          {!isEnabled && <span className="small muted">{t.serviceAccounts.keysDisabled}</span>}
        </Group>
      )}
      <ShownKey secret={made} onClose={() => setMade(undefined)} />
      <ConfirmDialog
        isOpen={ending !== undefined}
        title={isPurge ? t.serviceAccounts.purgeTitle(name) : t.serviceAccounts.revokeTitle(name)}
        confirm={isPurge ? t.serviceAccounts.purgeConfirm : t.serviceAccounts.revokeConfirm}
        onClose={() => setEnding(undefined)}
        onConfirm={async () => {
          if (ending) {
            await door[isPurge ? 'purgeKey' : 'revokeKey'](id, ending.key.id)
            await reload()
          }
        }}
      >
        {isPurge ? t.serviceAccounts.purgeHint : t.serviceAccounts.revokeHint}
      </ConfirmDialog>
    </PaneSection>
  )
}
