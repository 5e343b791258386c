import { Checkbox, Modal, MultiSelect, Radio, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { checkProps, textProps } from '../../components/field-props.ts'
import { presets, scopeKinds, type PresetName, type ScopeKind } from '../../../shared/access.ts'
import { isDeviceRole, offeredRoles, roles, roleScopes, type RoleName } from '../../../shared/roles.ts'
import { api } from '../../api/http.ts'
import { rightsQueries } from '../../api/rights-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { roleSentence } from '../../components/rights-texts.ts'
import { SearchSelect, type Choice } from '../../components/search-select.tsx'
import * as t from '../../texts.ts'
import { ScopeField, scopesOf, type ScopeChoice } from '../../components/scope-field.tsx'

/** The choice of single rights in place of a role. */
const single = 'single'

/** Roles that can be given in place of all others: the presets of the interface. */
const isReplacing = (role: string): role is PresetName => Object.hasOwn(presets, role)

export interface Draft {
  principals: Choice[]
  role: RoleName | typeof single
  names: string[]
  isDeny: boolean
  scope: ScopeChoice
  until: string
  notes: string
  isOnlyThis: boolean
}

export const firstDraft = (principals: Choice[], role: RoleName): Draft => ({
  principals,
  role,
  names: [],
  isDeny: false,
  scope: { kind: isDeviceRole(role) ? 'CustomerTenant' : 'Tenant', choices: [] },
  until: '',
  notes: '',
  isOnlyThis: false,
})

/** Whether one request replaces all roles: one receiver, whole organization, no end. */
const canReplace = ({ principals, role, isDeny, scope, until }: Draft) =>
  principals.length === 1 && isReplacing(role) && !isDeny && scope.kind === 'Tenant' && until === ''

/** Gives what was chosen. Returns the number of new rights, and how to take them back. */
async function give(draft: Draft) {
  const principals = draft.principals.map(({ kind, id }) => ({
    principalKind: kind as 'User' | 'UserGroup' | 'ServiceAccount',
    principalId: id,
  }))
  if (draft.isOnlyThis && canReplace(draft)) {
    const body = { ...principals[0]!, presetNames: [draft.role], replaceExisting: true }
    return { given: await api.permissionAssignments.applyPresets({ body }) }
  }
  const { assignmentIds } = await api.rights.grant({
    body: {
      principals,
      ...(draft.role === single ? { permissions: draft.names } : { role: draft.role }),
      effect: draft.isDeny ? 'Deny' : 'Allow',
      scopes: scopesOf(draft.scope),
      endsAt: draft.until === '' ? null : new Date(draft.until).toISOString(),
      notes: draft.notes,
    },
  })
  const undo =
    assignmentIds.length > 0 ? () => api.permissionAssignments.deleteBatch({ body: { assignmentIds } }) : undefined
  return { given: assignmentIds.length, undo }
}

function Roles({ draft, onChange }: { draft: Draft; onChange: (role: Draft['role']) => void }) {
  const who = draft.principals.length === 1 ? draft.principals[0]!.name : ''
  const scope = { kind: draft.scope.kind, id: null, name: draft.scope.choices[0]?.name ?? '…' }
  return (
    <Radio.Group label={t.rights.role} value={draft.role} onChange={(role) => onChange(role as Draft['role'])}>
      <Stack gap={6} mt={4}>
        {offeredRoles.map((name) => (
          <Radio
            key={name}
            value={name}
            label={roles[name].title}
            description={roleSentence(
              who,
              name,
              isDeviceRole(name) ? scope : { ...scope, kind: 'Tenant' },
              draft.isDeny,
            ).trim()}
          />
        ))}
        <Radio value={single} label={t.rights.chosen} />
      </Stack>
    </Radio.Group>
  )
}

function SingleRights({ names, onChange }: { names: string[]; onChange: (names: string[]) => void }) {
  const { data = [] } = useQuery(rightsQueries.catalog)
  const groups = Map.groupBy(data, ({ categoryLabel }) => categoryLabel)
  return (
    <MultiSelect
      label={t.rights.chooseRights}
      searchable
      data={[...groups].map(([group, items]) => ({
        group,
        items: items.map(({ name, displayName }) => ({ value: name, label: displayName })),
      }))}
      value={names}
      onChange={onChange}
    />
  )
}

function Content({ start, onClose }: { start: Draft; onClose: () => void }) {
  const [draft, setDraft] = useState(start)
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const kinds: readonly ScopeKind[] = draft.role === single ? scopeKinds : roleScopes(draft.role)
  const chooseRole = (role: Draft['role']) =>
    setDraft((before) => {
      const legal: readonly ScopeKind[] = role === single ? scopeKinds : roleScopes(role)
      return {
        ...before,
        role,
        scope: legal.includes(before.scope.kind) ? before.scope : { kind: 'Tenant', choices: [] },
      }
    })
  return (
    <DialogForm
      submit={t.rights.give}
      canSubmit={
        draft.principals.length > 0 &&
        scopesOf(draft.scope).length > 0 &&
        (draft.role !== single || draft.names.length > 0)
      }
      save={() => give(draft)}
      onSaved={({ given, undo }) => {
        void invalidate(['rights'])
        onClose()
        const message = draft.isDeny ? t.rights.denied(given) : t.rights.given(given)
        if (undo) {
          showUndo(message, async () => {
            await undo()
            await invalidate(['rights'])
          })
        } else {
          notifications.show({ message })
        }
      }}
      onCancel={onClose}
    >
      <SearchSelect
        label={t.rights.people}
        hint={t.rights.peopleHint}
        kind="Principal"
        value={draft.principals}
        onChange={(principals) => change({ principals })}
        isFirst={start.principals.length === 0}
      />
      <SegmentedControl
        aria-label={t.common.kind}
        data={[
          { value: 'allow', label: t.rights.allow },
          { value: 'deny', label: t.rights.deny },
        ]}
        value={draft.isDeny ? 'deny' : 'allow'}
        onChange={(value) => change({ isDeny: value === 'deny' })}
      />
      <ScopeField
        kinds={kinds}
        value={draft.scope}
        onChange={(scope) => change({ scope })}
        isFirst={start.principals.length > 0}
      />
      <Roles draft={draft} onChange={chooseRole} />
      {draft.role === single && <SingleRights names={draft.names} onChange={(names) => change({ names })} />}
      <TextInput
        type="datetime-local"
        label={t.rights.until_}
        description={t.rights.untilHint}
        {...textProps(draft.until, (until) => change({ until }))}
      />
      <TextInput label={t.common.note} maxLength={500} {...textProps(draft.notes, (notes) => change({ notes }))} />
      {canReplace(draft) && (
        <Checkbox label={t.rights.onlyThis} {...checkProps(draft.isOnlyThis, (isOnlyThis) => change({ isOnlyThis }))} />
      )}
    </DialogForm>
  )
}

/** Dialog that gives a role, or single rights, in one step. */
export const GiveDialog = ({ start, onClose }: { start: Draft | undefined; onClose: () => void }) => (
  <Modal opened={start !== undefined} onClose={onClose} title={t.rights.giveTitle} size="lg">
    {start && <Content start={start} onClose={onClose} />}
  </Modal>
)
