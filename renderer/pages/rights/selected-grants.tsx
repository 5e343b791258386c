import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/http.ts'
import { AskButton } from '../../components/list-kit/dialogs.tsx'
import { RowSelectionBar } from '../../components/list-kit/selection-bar.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import type { RowSelection } from '../../components/list-kit/use-row-selection.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { heldLabel, thingName } from '../../components/rights-texts.ts'
import * as t from '../../texts.ts'
import type { GrantRow } from './grant-row.ts'
import { invalidate } from '../../api/query-client.ts'
import { chunksOf } from '../../../shared/chunks.ts'

/** Assignments that one request may name. */
const maxIds = 200
const named = 3

const idsOf = (grants: readonly GrantRow[]) => grants.flatMap(({ assignmentIds }) => assignmentIds)

/** Actions on the selected assignments. */
export function SelectedGrants({ selection }: { selection: RowSelection<GrantRow> }) {
  const refresh = () => invalidate(['rights'])
  const switchTo = async (grants: readonly GrantRow[], isEnabled: boolean) => {
    try {
      for (const assignmentIds of chunksOf(idsOf(grants), maxIds)) {
        await api.rights.change({ body: { assignmentIds, isEnabled } })
      }
    } finally {
      await refresh()
    }
  }
  const change = useMutation({
    mutationFn: async (isEnabled: boolean) => {
      const grants = selection.rows.filter((grant) => grant.isEnabled !== isEnabled)
      await switchTo(grants, isEnabled)
      return grants
    },
    onSuccess: (grants, isEnabled) => {
      selection.clear()
      if (grants.length > 0) {
        const words = isEnabled ? t.rights.switchedOn : t.rights.switchedOff
        showUndo(words(grants.length), () => switchTo(grants, !isEnabled))
      }
    },
    onError: (error) => notifications.show({ message: problemText(error), color: 'danger' }),
  })
  const { rows } = selection
  return (
    <RowSelectionBar selection={selection}>
      {([false, true] as const).map((isEnabled) => (
        <Button
          key={String(isEnabled)}
          variant="default"
          size="xs"
          loading={change.isPending && change.variables === isEnabled}
          onClick={() => change.mutate(isEnabled)}
        >
          {isEnabled ? t.rights.switchOn : t.rights.switchOff}
        </Button>
      ))}
      <AskButton
        label={t.rights.remove}
        title={t.rights.removeMany(rows.length)}
        confirm={t.rights.removeMany(rows.length)}
        button={{ variant: 'light', color: 'danger', size: 'xs' }}
        onConfirm={async () => {
          try {
            for (const assignmentIds of chunksOf(idsOf(rows), maxIds)) {
              await api.permissionAssignments.deleteBatch({ body: { assignmentIds } })
            }
          } finally {
            await refresh()
          }
          selection.clear()
        }}
      >
        <ul className="bullets">
          {rows.slice(0, named).map((grant) => (
            <li key={grant.id}>
              {thingName(grant.principal)}: {heldLabel(grant)}, {thingName(grant.scope)}
            </li>
          ))}
        </ul>
        {rows.length > named && <p className="muted">{t.rights.more(rows.length - named)}</p>}
      </AskButton>
    </RowSelectionBar>
  )
}
