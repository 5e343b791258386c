import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { textProps } from '../../components/field-props.ts'
import type { PermissionAssignmentResponseDto } from '../../../shared/dtos/permission-assignment.ts'
import { roles } from '../../../shared/roles.ts'
import { api } from '../../api/http.ts'
import { rightsQueries } from '../../api/rights-queries.ts'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { heldLabel, permissionLabel, roleSentence, thingName } from '../../components/rights-texts.ts'
import { rightsAddress, type HolderKind } from '../../components/rights-links.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { fieldTime } from '../../text/format.ts'
import * as t from '../../texts.ts'
import { standing, type GrantRow } from './grant-row.ts'
import { invalidate } from '../../api/query-client.ts'
import { ScopeDevices } from '../../components/scope-field.tsx'
import classes from './rights.module.css'
import { submitHandler } from '../../components/request-form.tsx'

/** Assignment as requests create it, with everything but its end. */
const creationOf = ({ id: _, createdAt: __, ...row }: PermissionAssignmentResponseDto) => row

function useGrantChanges(grant: GrantRow) {
  const { assignmentIds, endsAt } = grant
  const label = `${heldLabel(grant)}, ${thingName(grant.principal)}`
  const refresh = () => invalidate(['rights'])
  const after = async (work: Promise<unknown>) => {
    await work
    await refresh()
  }
  const set = (changes: { endsAt?: string | null; isEnabled?: boolean }) =>
    after(api.rights.change({ body: { assignmentIds, ...changes } }))
  /** Brings removed assignments back: all at once, with their notes, or with their end. */
  const restore = (rows: readonly PermissionAssignmentResponseDto[]) =>
    endsAt === null
      ? after(api.permissionAssignments.createBatch({ body: { assignments: rows.map(creationOf) } }))
      : after(
          api.rights.grant({
            body: {
              principals: [{ principalKind: grant.principal.kind as HolderKind, principalId: grant.principal.id }],
              permissions: rows.map(({ permissionName }) => permissionName),
              effect: grant.effect,
              scopes: [{ scopeKind: grant.scope.kind, scopeId: grant.scope.id }],
              endsAt,
              isEnabled: grant.isEnabled,
              notes: rows[0]?.notes ?? null,
            },
          }),
        )
  return {
    change: async (changes: { endsAt?: string | null; isEnabled?: boolean }) => {
      await set(changes)
      const before = { isEnabled: grant.isEnabled, ...('endsAt' in changes && !grant.hasEnded && { endsAt }) }
      showUndo(t.rights.changed(label), () => set(before))
    },
    removeAll: async (rows: readonly PermissionAssignmentResponseDto[]) => {
      await after(api.permissionAssignments.deleteBatch({ body: { assignmentIds } }))
      showUndo(t.rights.removed(label), () => restore(rows))
    },
    removeOne: async (row: PermissionAssignmentResponseDto) => {
      await after(api.permissionAssignments.delete({ params: { assignmentId: row.id } }))
      showUndo(t.rights.removed(permissionLabel(row.permissionName)), () =>
        endsAt === null ? after(api.permissionAssignments.create({ body: creationOf(row) })) : restore([row]),
      )
    },
    note: (row: PermissionAssignmentResponseDto, notes: string) => {
      const { principalKind: _, principalId: __, ...body } = creationOf(row)
      return after(api.permissionAssignments.update({ params: { assignmentId: row.id }, body: { ...body, notes } }))
    },
  }
}

function EndField({ grant, onSave }: { grant: GrantRow; onSave: (endsAt: string | null) => Promise<void> }) {
  const stored = grant.endsAt === null ? '' : fieldTime(Date.parse(grant.endsAt))
  const [typed, setTyped] = useState(stored)
  const saving = useMutation({ mutationFn: onSave })
  return (
    <form onSubmit={submitHandler(() => saving.mutate(typed === '' ? null : new Date(typed).toISOString()))}>
      <div className="field-row">
        <TextInput
          type="datetime-local"
          label={t.rights.setEnd}
          description={t.rights.noEndHint}
          {...textProps(typed, setTyped)}
        />
        <Button type="submit" variant="default" loading={saving.isPending} disabled={typed === stored}>
          {typed === '' ? t.rights.clearEnd : t.rights.saveEnd}
        </Button>
      </div>
      {saving.error && <ProblemAlert error={saving.error} />}
    </form>
  )
}

/** Right with its note, and its removal. */
function SingleRight({ row, mayWrite, onRemove }: SingleRightProps) {
  const name = permissionLabel(row.permissionName)
  const work = useMutation({ mutationFn: (run: () => Promise<void>) => run() })
  return (
    <li>
      <span>
        {name}
        {row.notes !== null && <span className="small muted"> · {row.notes}</span>}
        {work.error && <ProblemAlert error={work.error} />}
      </span>
      {mayWrite && (
        <IconButton
          label={t.rights.removeOne(name)}
          icon={<IconX size={14} />}
          size="sm"
          loading={work.isPending}
          onClick={() => work.mutate(onRemove)}
        />
      )}
    </li>
  )
}

interface SingleRightProps {
  row: PermissionAssignmentResponseDto
  mayWrite: boolean
  onRemove: () => Promise<void>
}

interface NoteFieldProps {
  row: PermissionAssignmentResponseDto
  onSave: (note: string) => Promise<void>
}

/** Note of an assignment of one right, which saves when it loses the focus. */
function NoteField({ row, onSave }: NoteFieldProps) {
  const [typed, setTyped] = useState(row.notes ?? '')
  const saving = useMutation({ mutationFn: () => onSave(typed) })
  return (
    <>
      <TextInput
        mt="sm"
        label={t.common.note}
        maxLength={500}
        {...textProps(typed, setTyped)}
        onBlur={() => typed !== (row.notes ?? '') && saving.mutate()}
      />
      {saving.error && <ProblemAlert error={saving.error} />}
    </>
  )
}

interface GrantPaneProps {
  grant: GrantRow
  /** Names the assignment that keeps the pane open. */
  onShow: (id: string | undefined) => void
  onClose: () => void
}

/** Assignment beside the list: sentences, switch, end, single rights. */
export function GrantPane({ grant, onShow, onClose }: GrantPaneProps) {
  const { can } = useSession()
  const { principal, scope, assignmentIds } = grant
  const changes = useGrantChanges(grant)
  const { data: rows = [] } = useQuery(rightsQueries.assignments(principal.kind as HolderKind, principal.id))
  const own = rows.filter(({ id }) => assignmentIds.includes(id))
  const mayWrite = can('tenant.permissions.write')
  const working = useMutation({ mutationFn: (run: () => Promise<void>) => run() })
  const who = thingName(principal)
  const target = new URLSearchParams({ kind: principal.kind, who: principal.id, what: grant.permissions[0] ?? '' })
  const place: Record<string, string> = scope.id === null ? {} : { place: scope.kind, thing: scope.id }
  return (
    <SidePane title={who} marks={<span className="muted">{standing(grant)}</span>} onClose={onClose}>
      {grant.roles.map((role) => (
        <p key={role}>
          <strong>{roles[role].title}</strong>: {roleSentence(who, role, scope, grant.effect === 'Deny')}.
        </p>
      ))}
      {mayWrite && (
        <Stack gap={12}>
          <Switch
            label={t.rights.isOn}
            checked={grant.isEnabled}
            disabled={working.isPending}
            onChange={(event) => {
              const isEnabled = event.currentTarget.checked
              working.mutate(() => changes.change({ isEnabled }))
            }}
          />
          <EndField key={grant.endsAt} grant={grant} onSave={(endsAt) => changes.change({ endsAt })} />
          {working.error && <ProblemAlert error={working.error} />}
        </Stack>
      )}
      <PaneSection title={`${t.rights.reaches}: ${thingName(scope)}`}>
        <ScopeDevices kind={scope.kind as Parameters<typeof ScopeDevices>[0]['kind']} id={scope.id ?? undefined} />
      </PaneSection>
      <PaneSection title={t.rights.single}>
        <ul className={classes.rights}>
          {own.map((row) => (
            <SingleRight
              key={row.id}
              row={row}
              mayWrite={mayWrite}
              onRemove={() => {
                onShow(assignmentIds.find((id) => id !== row.id))
                return changes.removeOne(row)
              }}
            />
          ))}
        </ul>
        {mayWrite && own.length === 1 && (
          <NoteField key={own[0]!.id} row={own[0]!} onSave={(note) => changes.note(own[0]!, note)} />
        )}
      </PaneSection>
      <Group mt="md" gap="md">
        <TextLink to={`/rights/check?${new URLSearchParams({ ...Object.fromEntries(target), ...place })}`}>
          {t.rights.checkThis}
        </TextLink>
        <TextLink to={rightsAddress(principal.kind as HolderKind, principal.id)}>{t.rights.manageOfOthers}</TextLink>
        {mayWrite && (
          <Button
            variant="light"
            color="danger"
            size="xs"
            loading={working.isPending}
            onClick={() =>
              working.mutate(async () => {
                await changes.removeAll(own)
                onClose()
              })
            }
          >
            {t.rights.remove}
          </Button>
        )}
      </Group>
    </SidePane>
  )
}
