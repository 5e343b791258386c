import { Button, Stack } from '@mantine/core'
import { IconTrash, type Icon } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { QueryField } from '../../../shared/device-query.ts'
import { deleteLater } from '../../components/list-kit/delete-later.ts'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { RowSelectionBar } from '../../components/list-kit/selection-bar.tsx'
import { SidePane } from '../../components/list-kit/side-pane.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import { useRowSelection } from '../../components/list-kit/use-row-selection.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import * as t from '../../texts.ts'
import { CreateField, DeleteButton, DevicesLink, includesText, MergeField, SavedField } from './organize-fields.tsx'
import { invalidate } from '../../api/query-client.ts'

export const refreshMs = 10_000

/** Fragments of the address that focus the field for a new item. */
const newIds = { customers: 'new-customer', groups: 'new-group', tags: 'new-tag' }

interface Item {
  id: string
  name: string
  description?: string | null
}

/** Reloads the items of a query key and their devices, and deletes items with undo. */
export function useItems(queryKey: string, deleteOne: (id: string) => Promise<unknown>) {
  const refresh = () => invalidate([queryKey], ['devices'])
  const remove = (items: readonly Item[]) =>
    deleteLater(
      items.map(({ id }) => id),
      items.length === 1 ? t.organize.deleted(items[0]!.name) : t.organize.deletedMany(items.length),
      async () => {
        const problems: Error[] = []
        for (const { id } of items) {
          await deleteOne(id).catch((error: Error) => problems.push(error))
        }
        await refresh()
        if (problems[0]) {
          throw problems[0]
        }
      },
    )
  return { refresh, remove }
}

/** Handlers that the list gives to the pane of an item. */
export interface PaneHandlers {
  onClose: () => void
  onMerged: (intoId: string) => void
}

interface ItemPaneProps extends PaneHandlers {
  item: Item
  field: QueryField
  deviceCount: number
  maxName: number
  nameHint?: string
  mayWrite: boolean
  mayMerge?: boolean
  others: readonly Item[]
  onRename: (name: string) => Promise<unknown>
  mergeHint: (into: string) => string
  onMerge: (intoId: string) => Promise<unknown>
  deleteHint: string
  onDelete: () => void
  /** Fields between the name and the merge. */
  children: ReactNode
}

/** Side pane of an item: its devices, name, own fields, merge and deletion. */
export function ItemPane(props: ItemPaneProps) {
  const { item, mayWrite, mayMerge = mayWrite, onClose } = props
  return (
    <SidePane title={item.name} onClose={onClose}>
      <Stack gap={10}>
        <DevicesLink field={props.field} name={item.name} count={props.deviceCount} />
        <SavedField
          label={t.common.name}
          description={props.nameHint}
          maxLength={props.maxName}
          value={item.name}
          readOnly={!mayWrite}
          onSave={props.onRename}
        />
        {props.children}
        {mayMerge && (
          <MergeField
            name={item.name}
            others={props.others.filter(({ id }) => id !== item.id)}
            hint={props.mergeHint}
            onMerge={async (intoId) => {
              await props.onMerge(intoId)
              props.onMerged(intoId)
            }}
          />
        )}
        {mayWrite && (
          <DeleteButton
            label={t.organize.delete(item.name)}
            hint={props.deleteHint}
            onDelete={() => {
              onClose()
              props.onDelete()
            }}
          />
        )}
      </Stack>
    </SidePane>
  )
}

/** Columns of a list: name, description if items have descriptions, number of devices. */
export const columnsOf = <T extends Item>(
  nameCell: (item: T) => ReactNode,
  devicesOf: (item: T) => number,
  isDescribed = true,
): readonly ListColumn<T>[] => [
  { id: 'name', label: t.common.name, width: 'minmax(0, 1fr)', cell: nameCell },
  ...(isDescribed
    ? [
        {
          id: 'description',
          label: t.organize.description,
          width: 'minmax(0, 1fr)',
          from: 600,
          cell: ({ description }: T) => <span className="truncate muted">{description}</span>,
        },
      ]
    : []),
  {
    id: 'devices',
    label: t.organize.devices,
    width: '90px',
    cell: (item) => <span className="tabular">{devicesOf(item).toLocaleString()}</span>,
  },
]

interface ItemListProps<T extends Item> {
  kind: keyof typeof newIds
  tabs: ReactNode
  query: UseQueryResult<unknown>
  /** Items that are not about to be deleted. */
  all: readonly T[]
  columns: readonly ListColumn<T>[]
  icon: Icon
  mayWrite: boolean
  maxName: number
  nameHint?: string
  create: (name: string) => Promise<{ id: string }>
  remove: (items: readonly T[]) => void
  pane: (item: T, handlers: PaneHandlers) => ReactNode
}

/** List of customers, groups or tags: search, creation, selection, and the pane of the open item. */
export function ItemList<T extends Item>(props: ItemListProps<T>) {
  const { kind, query, all, mayWrite, nameHint } = props
  const words = t.organize[kind]
  const [address, change, list] = useListAddress(['q'])
  const data = wholeList(
    query,
    all.filter(({ name, description }) => includesText(`${name} ${description ?? ''}`, address.q)),
  )
  const selection = useRowSelection(data.rows, ({ name }) => name)
  const open = all.find(({ id }) => id === address.open)
  const close = () => change({ open: '' })
  const create = mayWrite && (
    <CreateField
      id={newIds[kind]}
      label={words.create}
      hint={nameHint}
      maxLength={props.maxName}
      create={async (name) => {
        const { id } = await props.create(name)
        change({ open: id, q: '' })
      }}
    />
  )
  const bar = mayWrite && (
    <RowSelectionBar selection={selection}>
      <Button
        variant="light"
        color="danger"
        size="xs"
        leftSection={<IconTrash size={15} />}
        onClick={() => {
          props.remove(selection.rows)
          selection.clear()
        }}
      >
        {t.organize.deleteMany(selection.rows.length)}
      </Button>
    </RowSelectionBar>
  )
  return (
    <ListPage
      list={list}
      title={t.organize.title}
      intro={mayWrite ? t.organize.intro : words.readOnly}
      action={all.length > 0 && create}
      notice={props.tabs}
      filters={<SearchField label={t.organize.search} text={address.q} onChange={(q) => change({ q })} />}
      shown={all.length > 0 ? words.shown(data.rows.length) : ''}
      pane={open && props.pane(open, { onClose: close, onMerged: (id) => change({ open: id }) })}
    >
      <ListView
        list={list}
        label={t.organize.tabs[kind]}
        data={data}
        columns={props.columns}
        selection={mayWrite ? selection : undefined}
        empty={{ icon: props.icon, title: words.emptyTitle, hint: words.emptyHint, action: create }}
      />
      {bar}
    </ListPage>
  )
}
