import { Button } from '@mantine/core'
import { IconTags, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { tagColors, type TagOverviewDto } from '../../../shared/api/appliance-organization.ts'
import { api } from '../../api/http.ts'
import { organizeQueries } from '../../api/organize-queries.ts'
import { deleteLater, useWaitingDeletions } from '../../components/list-kit/delete-later.tsx'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage } from '../../components/list-kit/list-page.tsx'
import { ListView } from '../../components/list-kit/list-view.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { RowSelectionBar } from '../../components/list-kit/selection-bar.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import { useRowSelection } from '../../components/list-kit/use-row-selection.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import { ColorDot } from '../../components/tag-chip.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import classes from './organize.module.css'
import { CreateField, DeleteButton, DevicesLink, includesText, MergeField, NameCell, SavedField } from './things.tsx'

const refreshMs = 10_000
const maxName = 50

const columns: ListColumn<TagOverviewDto>[] = [
  {
    id: 'name',
    label: t.organize.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name, color }) => (
      <NameCell>
        <ColorDot color={color} />
        <span className="truncate">{name}</span>
      </NameCell>
    ),
  },
  {
    id: 'devices',
    label: t.organize.devices,
    width: '90px',
    cell: ({ deviceCount }) => <span className="tabular">{deviceCount.toLocaleString()}</span>,
  },
]

function useTagWrites() {
  const client = useQueryClient()
  const { tenantId } = useSession().user
  const refresh = () =>
    Promise.all([client.invalidateQueries({ queryKey: ['tags'] }), client.invalidateQueries({ queryKey: ['devices'] })])
  return {
    tenantId,
    refresh,
    remove: (tags: readonly TagOverviewDto[]) =>
      deleteLater(
        tags.map(({ id }) => id),
        tags.length === 1 ? t.organize.deleted(tags[0]!.name) : t.organize.deletedMany(tags.length),
        async () => {
          for (const { id: tagId } of tags) {
            await api.tags.delete({ tenantId, params: { tagId } })
          }
          await refresh()
        },
      ),
  }
}

interface TagPaneProps {
  tag: TagOverviewDto
  others: readonly TagOverviewDto[]
  mayWrite: boolean
  onClose: () => void
  onMerged: (tagId: string) => void
}

function TagPane({ tag, others, mayWrite, onClose, onMerged }: TagPaneProps) {
  const { tenantId, refresh, remove } = useTagWrites()
  const at = { tenantId, params: { tagId: tag.id } }
  const paint = useMutation({
    mutationFn: (color: TagOverviewDto['color']) => api.organization.setTagColor({ ...at, body: { color } }),
    onSettled: refresh,
  })
  return (
    <SidePane title={tag.name} onClose={onClose}>
      <div className={classes.form}>
        <DevicesLink field="tag" name={tag.name} count={tag.deviceCount} />
        <SavedField
          label={t.organize.name}
          description={t.organize.tags.nameHint}
          maxLength={maxName}
          value={tag.name}
          readOnly={!mayWrite}
          onSave={async (name) => {
            await api.tags.rename({ ...at, body: { name } })
            await refresh()
          }}
        />
        {paint.error && <p role="alert">{problemText(paint.error)}</p>}
        {mayWrite && (
          <>
            <PaneSection title={t.organize.tags.color}>
              <div className={classes.colors} role="radiogroup" aria-label={t.organize.tags.color}>
                {[null, ...tagColors].map((color) => (
                  <button
                    key={color}
                    type="button"
                    role="radio"
                    className={classes.color}
                    aria-checked={tag.color === color}
                    aria-label={color ? t.organize.tags.colors[color] : t.organize.tags.noColor}
                    title={color ? t.organize.tags.colors[color] : t.organize.tags.noColor}
                    onClick={() => paint.mutate(color)}
                  >
                    <ColorDot color={color} />
                  </button>
                ))}
              </div>
            </PaneSection>
            <MergeField
              name={tag.name}
              others={others}
              hint={(into) => t.organize.tags.mergeHint(tag.deviceCount, into)}
              onMerge={async (intoTagId) => {
                await api.organization.mergeTag({ ...at, body: { intoTagId } })
                await refresh()
                onMerged(intoTagId)
              }}
            />
            <DeleteButton
              label={t.organize.delete(tag.name)}
              hint={t.organize.tags.deleteHint}
              onDelete={() => {
                onClose()
                remove([tag])
              }}
            />
          </>
        )}
      </div>
    </SidePane>
  )
}

/** Tags of the organization; everybody may read them. */
export function TagsTab({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const mayWrite = can('tenant.tags.write')
  const { tenantId, refresh, remove } = useTagWrites()
  const [address, change] = useListAddress(['q'])
  const query = useQuery({ ...organizeQueries.tagOverview(tenantId), refetchInterval: refreshMs })
  const waiting = useWaitingDeletions()
  const all = (query.data ?? []).filter(({ id }) => !waiting.has(id))
  const data = wholeList(
    query,
    all.filter(({ name }) => includesText(name, address.q)),
  )
  const selection = useRowSelection(data.rows)
  const open = all.find(({ id }) => id === address.open)
  const close = () => change({ open: '' })
  const create = mayWrite && (
    <CreateField
      id="new-tag"
      label={t.organize.tags.create}
      hint={t.organize.tags.nameHint}
      maxLength={maxName}
      create={async (name) => {
        const { id } = await api.tags.create({ tenantId, body: { name } })
        await refresh()
        change({ open: id, q: '' })
      }}
    />
  )
  return (
    <ListPage
      title={t.organize.title}
      intro={mayWrite ? t.organize.intro : t.organize.tags.readOnly}
      action={all.length > 0 && create}
      notice={tabs}
      filters={<SearchField label={t.organize.search} text={address.q} onChange={(q) => change({ q })} />}
      isFiltered={address.q !== ''}
      onClearFilters={() => change({ q: '' })}
      shown={query.data ? t.organize.tags.shown(data.rows.length) : ''}
      onClosePane={close}
      pane={
        open && (
          <TagPane
            key={open.id}
            tag={open}
            others={all.filter(({ id }) => id !== open.id)}
            mayWrite={mayWrite}
            onClose={close}
            onMerged={(id) => change({ open: id })}
          />
        )
      }
      bar={
        mayWrite && (
          <RowSelectionBar selection={selection}>
            <Button
              variant="light"
              color="danger"
              size="xs"
              leftSection={<IconTrash size={15} />}
              onClick={() => {
                remove(selection.rows)
                selection.clear()
              }}
            >
              {t.organize.deleteMany(selection.rows.length)}
            </Button>
          </RowSelectionBar>
        )
      }
    >
      <ListView
        label={t.organize.tabs.tags}
        data={data}
        columns={columns}
        openId={address.open || undefined}
        onOpen={(id) => change({ open: id ?? '' })}
        selection={mayWrite ? selection : undefined}
        nameOf={({ name }) => name}
        isFiltered={address.q !== ''}
        onClearFilters={() => change({ q: '' })}
        empty={{ icon: IconTags, title: t.organize.tags.emptyTitle, hint: t.organize.tags.emptyHint, action: create }}
      />
    </ListPage>
  )
}
