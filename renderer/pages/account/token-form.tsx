import { Checkbox, NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { dayMs } from '../../../shared/durations.ts'
import { textProps } from '../../components/field-props.ts'
import type { PermissionName } from '../../../shared/access.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import classes from './account-page.module.css'
import { Secret } from '../../components/secret.tsx'
import command from '../../components/command.module.css'

/** Lifetimes in days; none is the last choice. */
const lifetimes = ['30', '90', '365', ''] as const

interface RightsProps {
  chosen: readonly PermissionName[]
  onChange: (rights: PermissionName[]) => void
}

/** The rights that the person can give to a token, as checkboxes by category. */
function Rights({ chosen, onChange }: RightsProps) {
  const { data: rights, error } = useQuery(accountQueries.tokenRights)
  if (error) {
    return <ProblemAlert error={error} />
  }
  const categories = Map.groupBy(rights ?? [], (right) => permissionTexts[right].categoryLabel)
  return (
    <Checkbox.Group value={[...chosen]} onChange={(values) => onChange(values as PermissionName[])}>
      <div className={classes.rights}>
        {[...categories].map(([category, names]) => (
          <fieldset key={category}>
            <legend>{category}</legend>
            {names.map((name) => (
              <Checkbox
                key={name}
                size="xs"
                value={name}
                label={permissionTexts[name].displayName}
                title={permissionTexts[name].description}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Checkbox.Group>
  )
}

export function TokenForm({ onDone, onCancel }: { onDone: (token: string) => void; onCancel: () => void }) {
  const [name, setName] = useState('')
  const [isWhole, setIsWhole] = useState(false)
  const [rights, setRights] = useState<PermissionName[]>([])
  const [days, setDays] = useState<string>('90')
  const create = () => {
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()
    return api.account.createToken({ body: { name, rights: isWhole ? null : rights, expiresAt } })
  }
  return (
    <DialogForm
      submit={t.account.createToken}
      canSubmit={name.trim() !== '' && (isWhole || rights.length > 0)}
      save={create}
      onSaved={({ plainTextToken }) => {
        void invalidate(accountQueries.tokens.queryKey)
        onDone(plainTextToken)
      }}
      onCancel={onCancel}
    >
      <TextInput
        label={t.common.name}
        description={t.account.tokenNameHint}
        maxLength={256}
        data-autofocus
        {...textProps(name, setName)}
      />
      <NativeSelect
        label={t.account.tokenEnd}
        data={lifetimes.map((value) => ({ value, label: t.account.lifetime(value) }))}
        {...textProps(days, setDays)}
      />
      <Radio.Group
        label={t.account.tokenMay}
        value={isWhole ? 'whole' : 'some'}
        onChange={(value) => setIsWhole(value === 'whole')}
      >
        <Stack gap={6} mt={4}>
          <Radio value="some" label={t.account.maySome} />
          <Radio value="whole" label={t.account.mayAll} />
        </Stack>
      </Radio.Group>
      {!isWhole && <Rights chosen={rights} onChange={setRights} />}
    </DialogForm>
  )
}

const curlOf = (token: string) => `curl -H 'x-personal-token: ${token}' ${window.location.origin}/api/auth/me`

/** The new token, shown once, with a command that tries it. */
export const NewToken = ({ token, onClose }: { token: string | undefined; onClose: () => void }) => (
  <Secret
    title={t.account.newTokenTitle}
    hint={t.account.newTokenHint}
    label={t.account.theToken}
    copy={t.account.copyToken}
    value={token}
    onClose={onClose}
  >
    {(value, onSaved) => (
      <>
        <p className={classes.line}>{t.account.tryIt}</p>
        <pre className={command.command} aria-label={t.account.curlLine}>
          {curlOf(value)}
        </pre>
        <CopyButton text={curlOf(value)} label={t.account.copyCurl} onCopied={onSaved} />
      </>
    )}
  </Secret>
)
