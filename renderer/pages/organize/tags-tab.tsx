import { Group } from '@mantine/core'
import { IconTags } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { tagColors, type TagOverviewDto } from '../../../shared/api/appliance-organization.ts'
import { api } from '../../api/http.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { useWaitingDeletions } from '../../components/list-kit/delete-later.ts'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { ColorDot } from '../../components/tag-chip.tsx'
import { FleetHistory } from '../../features/history/fleet-history.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import classes from './organize.module.css'
import { columnsOf, refreshMs, ItemList, ItemPane, useItems, type PaneHandlers } from './item-list.tsx'
import { NameCell } from './organize-fields.tsx'

const maxName = 50

const columns = columnsOf<TagOverviewDto>(
  ({ name, color }) => <NameCell name={name} mark={<ColorDot color={color} />} />,
  ({ deviceCount }) => deviceCount,
  false,
)

const useTags = () => useItems('tags', (tagId) => api.tags.delete({ params: { tagId } }))

interface TagPaneProps extends PaneHandlers {
  tag: TagOverviewDto
  tags: readonly TagOverviewDto[]
  mayWrite: boolean
}

function TagPane({ tag, tags, mayWrite, ...handlers }: TagPaneProps) {
  const { refresh, remove } = useTags()
  const at = { params: { tagId: tag.id } }
  const paint = useMutation({
    mutationFn: (color: TagOverviewDto['color']) => api.organization.setTagColor({ ...at, body: { color } }),
    onSettled: refresh,
  })
  return (
    <ItemPane
      {...handlers}
      item={tag}
      field="tag"
      deviceCount={tag.deviceCount}
      maxName={maxName}
      nameHint={t.organize.tags.nameHint}
      mayWrite={mayWrite}
      others={tags}
      onRename={async (name) => {
        await api.tags.rename({ ...at, body: { name } })
        await refresh()
      }}
      mergeHint={(into) => t.organize.tags.mergeHint(tag.deviceCount, into)}
      onMerge={async (intoTagId) => {
        await api.organization.mergeTag({ ...at, body: { intoTagId } })
        await refresh()
      }}
      deleteHint={t.organize.tags.deleteHint}
      onDelete={() => remove([tag])}
    >
      {paint.error && <ProblemAlert error={paint.error} />}
      {mayWrite && (
        <PaneSection title={t.organize.tags.color}>
          <Group gap={4} role="radiogroup" aria-label={t.organize.tags.color}>
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
          </Group>
        </PaneSection>
      )}
      {tag.deviceCount > 0 && (
        <PaneSection title={t.history.title}>
          <FleetHistory of={{ tagId: tag.id }} />
        </PaneSection>
      )}
    </ItemPane>
  )
}

/** Tags of the organization; everybody may read them. */
export function TagsTab({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const mayWrite = can('tenant.tags.write')
  const { refresh, remove } = useTags()
  const query = useQuery({ ...organizationQueries.tagOverview, refetchInterval: refreshMs })
  const waiting = useWaitingDeletions()
  const all = (query.data ?? []).filter(({ id }) => !waiting.has(id))
  return (
    <ItemList
      kind="tags"
      tabs={tabs}
      query={query}
      all={all}
      columns={columns}
      icon={IconTags}
      mayWrite={mayWrite}
      maxName={maxName}
      nameHint={t.organize.tags.nameHint}
      create={async (name) => {
        const made = await api.tags.create({ body: { name } })
        await refresh()
        return made
      }}
      remove={remove}
      pane={(tag, handlers) => <TagPane {...handlers} key={tag.id} tag={tag} tags={all} mayWrite={mayWrite} />}
    />
  )
}
