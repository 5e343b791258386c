import { Button, Menu } from '@mantine/core'
import { IconDots, IconTrash } from '@tabler/icons-react'
import { batchPermissions, type BatchKind } from '../../../shared/dtos/batch.ts'
import { allBatchKinds, batchKinds } from '../../components/batch-kinds.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'

interface SelectionActionsProps {
  onBatch: (kind: BatchKind) => void
  onDelete: () => void
}

/** Bulk actions for the selected devices, if the user has the permission on any device. */
export function SelectionActions({ onBatch, onDelete }: SelectionActionsProps) {
  const { can } = useSession()
  const permitted = allBatchKinds.filter((kind) => can(batchPermissions[kind]))
  const others = permitted.filter((kind) => !batchKinds[kind].isInFront)
  return (
    <>
      {permitted
        .filter((kind) => batchKinds[kind].isInFront)
        .map((kind) => {
          const Sign = batchKinds[kind].icon
          return (
            <Button
              key={kind}
              variant="default"
              size="xs"
              leftSection={<Sign size={15} stroke={1.7} />}
              onClick={() => onBatch(kind)}
            >
              {t.batches.actions[kind]}
            </Button>
          )
        })}
      {others.length > 0 && (
        <Menu position="top-start" returnFocus>
          <Menu.Target>
            <Button variant="default" size="xs" px={8} aria-label={t.batches.more}>
              <IconDots size={15} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown aria-label={t.batches.more}>
            {others.map((kind) => {
              const Sign = batchKinds[kind].icon
              return (
                <Menu.Item
                  key={kind}
                  leftSection={<Sign size={16} stroke={1.7} />}
                  onClick={() => onBatch(kind)}
                  {...(kind === 'shut-down' && { color: 'var(--danger)' })}
                >
                  {t.batches.actions[kind]}
                </Menu.Item>
              )
            })}
          </Menu.Dropdown>
        </Menu>
      )}
      {can('device.delete') && (
        <Button variant="light" color="danger" size="xs" leftSection={<IconTrash size={15} />} onClick={onDelete}>
          {t.common.delete}
        </Button>
      )}
    </>
  )
}
