import { Button, Select } from '@mantine/core'
import { IconDownload, IconHistory } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { applianceRights } from '../../../shared/api/appliance-rights.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import type { AuthorizationChangeLogResponseDto } from '../../../shared/dtos/authorization-change-log.ts'
import { api } from '../../api/http.ts'
import { rightsQueries } from '../../api/rights-queries.ts'
import { Moment } from '../../components/moment.tsx'
import { Fact } from '../../components/fact.tsx'
import { Chip } from '../../components/list-kit/chip.tsx'
import { DayFilter } from '../../components/list-kit/day-filter.tsx'
import { usePagedList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { permissionLabel } from '../../components/rights-texts.ts'
import { saveAddress } from '../../features/transfers/download.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { capitalized, exactTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './rights.module.css'

const pageSize = 100
const filterNames = ['q', 'target', 'from', 'to'] as const
type Change = AuthorizationChangeLogResponseDto
type State = Record<string, unknown>

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

const filtersOf = ({ q, target, from, to }: Record<(typeof filterNames)[number], string>) => ({
  ...(q && { searchText: q.slice(0, 128) }),
  ...(Object.hasOwn(t.rights.targets, target) && { targetType: target }),
  ...(isDay(from) && { from: new Date(`${from}T00:00:00`).toISOString() }),
  ...(isDay(to) && { to: new Date(`${to}T23:59:59.999`).toISOString() }),
})

const stateOf = (json: string | null): State => (json === null ? {} : (JSON.parse(json) as State))

const textOf = (state: State, name: string) => (typeof state[name] === 'string' ? state[name] : undefined)

/** Entry with the words of its row; `subjectId` has the rights. */
function read(change: Change) {
  const state = stateOf(change.afterJson ?? change.beforeJson)
  const permission = textOf(state, 'permissionName')
  const says = capitalized(change.actionType.replaceAll('-', ' '))
  return {
    subjectId: textOf(state, 'principalId') ?? change.targetId,
    knownName: textOf(state, 'name') ?? textOf(state, 'userName'),
    label: permission === undefined ? says : `${says}: ${permissionLabel(permission)}`,
  }
}

const idsOf = (changes: readonly Change[]) => [
  ...new Set(
    changes.flatMap((change) => {
      const state = stateOf(change.afterJson ?? change.beforeJson)
      return [change.actorPrincipalId, read(change).subjectId, textOf(state, 'scopeId')].filter(
        (id) => typeof id === 'string',
      )
    }),
  ),
]

type Names = ReadonlyMap<string, string>

/** Names of what the loaded entries mention, as far as the person may read them. */
function useNames(changes: readonly Change[]): Names {
  const ids = useMemo(() => idsOf(changes).slice(0, 500), [changes])
  const { data } = useQuery(rightsQueries.names(ids))
  return data ?? new Map()
}

const actorOf = (names: Names, { actorPrincipalId, actorPrincipalType }: Change) =>
  actorPrincipalId === null || actorPrincipalType === 'system'
    ? t.rights.program
    : visibleName(names.get(actorPrincipalId) ?? actorPrincipalId)

function subjectOf(names: Names, change: Change) {
  const { subjectId, knownName } = read(change)
  return visibleName(names.get(subjectId) ?? knownName ?? subjectId)
}

const columnsOf = (names: Names): ListColumn<Change>[] => [
  {
    id: 'at',
    label: t.rights.at,
    width: '136px',
    narrow: '72px',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  {
    id: 'actor',
    label: t.rights.actor,
    width: 'minmax(0, 1fr)',
    cell: (change) => <bdi>{actorOf(names, change)}</bdi>,
  },
  { id: 'change', label: t.rights.change, width: 'minmax(0, 2fr)', cell: (change) => read(change).label },
  {
    id: 'target',
    label: t.rights.target,
    width: 'minmax(0, 1fr)',
    from: 560,
    cell: (change) => <bdi>{subjectOf(names, change)}</bdi>,
  },
]

/** Name of a member of a state in words: "scopeKind" is "Scope kind". */
const wordsOf = (name: string) => capitalized(name.replaceAll(/(?=[A-Z])/g, ' ').toLowerCase())

/** Value of a member of a state in words; moments are stored as milliseconds. */
function stateText(names: Names, name: string, value: unknown): string {
  if (typeof value === 'number' && name.endsWith('At')) {
    return exactTime(value)
  }
  if (typeof value === 'boolean') {
    return value ? t.rights.yes : t.rights.no
  }
  if (Array.isArray(value)) {
    return value.map((item) => stateText(names, name, item)).join(', ')
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([member, inner]) => `${wordsOf(member)}: ${stateText(names, member, inner)}`)
      .join('; ')
  }
  const text = String(value)
  return visibleName(names.get(text) ?? permissionLabel(text))
}

function StateText({ title, json, names }: { title: string; json: string | null; names: Names }) {
  return (
    json !== null && (
      <PaneSection title={title}>
        <dl className={classes.state}>
          {Object.entries(stateOf(json))
            .filter(([, value]) => value !== null)
            .map(([name, value]) => (
              <Fact key={name} label={wordsOf(name)}>
                {stateText(names, name, value)}
              </Fact>
            ))}
        </dl>
      </PaneSection>
    )
  )
}

const ChangePane = ({ change, names, onClose }: { change: Change; names: Names; onClose: () => void }) => (
  <SidePane
    title={read(change).label}
    marks={<span className="muted">{exactTime(Date.parse(change.createdAt))}</span>}
    onClose={onClose}
  >
    <p>
      {t.rights.actor}: <bdi>{actorOf(names, change)}</bdi>
      <br />
      {t.rights.target}: <bdi>{subjectOf(names, change)}</bdi>
      {change.ipAddress !== null && (
        <>
          <br />
          {t.rights.address}: <span className="mono">{change.ipAddress}</span>
        </>
      )}
    </p>
    <StateText title={t.rights.before} json={change.beforeJson} names={names} />
    <StateText title={t.rights.after} json={change.afterJson} names={names} />
  </SidePane>
)

function DownloadButton({ isServer, filters }: { isServer: boolean; filters: ReturnType<typeof filtersOf> }) {
  const { exportChanges, exportServerChanges } = applianceRights.routes
  const { path } = isServer ? exportServerChanges : exportChanges
  const save = useMutation({ mutationFn: () => saveAddress(buildUrl(path, { query: filters })) })
  return (
    <div>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} stroke={1.6} />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        {t.rights.download}
      </Button>
      {save.error && <ProblemAlert error={save.error} />}
    </div>
  )
}

/** Every change of rights, groups, accounts and keys. */
export function ChangesPart({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const [address, change, list] = useListAddress(filterNames, ['server'])
  const mayReadServer = can('server.authorization-logs.read')
  const isServer = mayReadServer && address.server !== ''
  const filters = useMemo(() => filtersOf(address), [address])
  const key = ['rights', 'changes', isServer, filters]
  const data = usePagedList(key, async (skip, signal) => {
    const query = { ...filters, page: Math.floor(skip / pageSize), pageSize }
    const { items, totalItems } = isServer
      ? await api.authorizationChangeLogs.listOfServer({ query }, signal)
      : await api.authorizationChangeLogs.list({ query }, signal)
    return { items, total: totalItems }
  })
  const names = useNames(data.rows)
  const columns = useMemo(() => columnsOf(names), [names])
  const close = () => change({ open: '' })
  const open = data.rows.find(({ id }) => id === address.open)
  return (
    <ListPage
      list={list}
      title={t.rights.title}
      intro={t.rights.changesIntro}
      action={<DownloadButton isServer={isServer} filters={filters} />}
      notice={tabs}
      filters={
        <>
          <SearchField label={t.rights.searchChanges} text={address.q} onChange={(q) => change({ q })} />
          <Select
            aria-label={t.rights.changeTargets}
            placeholder={t.rights.changeTargets}
            data={Object.entries(t.rights.targets).map(([value, label]) => ({ value, label }))}
            value={address.target || null}
            onChange={(target) => change({ target: target ?? '' })}
            clearable
            w={180}
          />
          {(['from', 'to'] as const).map((end) => (
            <DayFilter
              key={end}
              label={t.rights[end]}
              value={address[end]}
              onChange={(day) => change({ [end]: day })}
            />
          ))}
          {mayReadServer && (
            <Chip isOn={isServer} onClick={() => change({ server: isServer ? '' : '1' })}>
              {t.rights.ofServer}
            </Chip>
          )}
        </>
      }
      shown={data.total === undefined ? '' : t.rights.changesShown(data.total)}
      pane={open && <ChangePane change={open} names={names} onClose={close} />}
    >
      <ListView
        list={{ ...list, openId: open?.id }}
        label={t.rights.changesList}
        data={data}
        columns={columns}
        empty={{ icon: IconHistory, title: t.rights.noChangesTitle, hint: t.rights.noChangesHint }}
      />
    </ListPage>
  )
}
