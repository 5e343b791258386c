import { Box, Button } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { rightsQueries } from '../../api/rights-queries.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Chip } from '../../components/list-kit/chip.tsx'
import { ListSkeleton } from '../../components/list-kit/list-skeleton.tsx'
import { NoMatchState } from '../../components/list-kit/no-match.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { sessionIcons, sessionKinds } from '../../components/session-kinds.ts'
import { SessionList, type SessionColumn } from './session-list.tsx'
import { useAddressState } from '../../hooks/use-address-state.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSessions, type LiveSession } from '../../hooks/use-sessions.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { EndSessions } from './end-sessions.tsx'
import { filtered, readBoard, sorted, writeBoard, type BoardState } from './session-url.ts'
import listPage from '../../components/list-page.module.css'
import classes from './sessions-page.module.css'

interface FilterProps {
  sessions: readonly LiveSession[]
  shown: number
  state: BoardState
  onChange: (changes: Partial<BoardState>) => void
}

function Filters({ sessions, shown, state, onChange }: FilterProps) {
  const { user } = useSession()
  const counts = Map.groupBy(sessions, ({ kind }) => kind)
  const mine = sessions.filter(({ principalId }) => principalId === user.id).length
  const hidden = sessions.length - shown
  return (
    <div className={listPage.filters} role="search">
      <SearchField label={t.sessions.search} text={state.text} onChange={(text) => onChange({ text })} />
      <div className={listPage.chips} role="group" aria-label={t.sessions.filters}>
        <Chip isOn={state.isMine} count={mine} onClick={() => onChange({ isMine: !state.isMine })}>
          {t.sessions.mine}
        </Chip>
        {sessionKinds
          .filter((kind) => counts.has(kind) || kind === state.kind)
          .map((kind) => {
            const Sign = sessionIcons[kind]
            return (
              <Chip
                key={kind}
                isOn={state.kind === kind}
                count={counts.get(kind)?.length ?? 0}
                onClick={() => onChange({ kind: state.kind === kind ? undefined : kind })}
              >
                <Sign size={14} stroke={1.6} aria-hidden />
                {t.sessions.kinds[kind]}
              </Chip>
            )
          })}
      </div>
      <span className={`${listPage.count} muted`} role="status">
        {t.sessions.shown(shown)}
        {hidden > 0 && ` · ${t.sessions.hidden(hidden)}`}
      </span>
    </div>
  )
}

/** Sort order with the column headers that change it. Sorting by traffic keeps the order of that time. */
function useSorting(
  sessions: readonly LiveSession[] | undefined,
  state: BoardState,
  change: (changes: Partial<BoardState>) => void,
) {
  const [held, setHeld] = useState<ReadonlyMap<string, number>>(new Map())
  const handleSort = (column: SessionColumn) => {
    setHeld(new Map(sessions?.map(({ id, bytesToDevice, bytesFromDevice }) => [id, bytesToDevice + bytesFromDevice])))
    const isSame = column === state.sort
    change({ sort: column, isDescending: isSame ? !state.isDescending : column === 'traffic' })
  }
  const header = (column: SessionColumn, label: string) => {
    const Arrow = state.isDescending ? IconArrowDown : IconArrowUp
    return (
      <button
        type="button"
        className={classes.sort}
        aria-pressed={state.sort === column}
        title={t.sessions.sortBy(label)}
        onClick={() => handleSort(column)}
      >
        {label}
        {state.sort === column && <Arrow size={14} aria-hidden />}
      </button>
    )
  }
  return { held, header }
}

function SelectionBar({ count, onEnd, onClear }: { count: number; onEnd: () => void; onClear: () => void }) {
  return (
    <div className={listPage.bar} role="toolbar" aria-label={t.sessions.selected(count)}>
      <span className="tabular">{t.sessions.selected(count)}</span>
      <Button variant="light" color="danger" size="xs" onClick={onEnd}>
        {t.sessions.endTitle(count)}
      </Button>
      <Button variant="subtle" color="gray" size="xs" onClick={onClear}>
        {t.lists.clearSelection}
      </Button>
    </div>
  )
}

/** Links to the shares that are in use or wait to be opened. */
function SharesLine() {
  const { can } = useSession()
  const { data = [] } = useQuery({ ...rightsQueries.shares(), enabled: can('device.logon-token.create') })
  return (
    data.length > 0 && (
      <p className={classes.shares}>
        <TextLink to="/rights/shares">{t.rights.openShares(data.length)}</TextLink>
      </p>
    )
  )
}

/** All running sessions, live. */
export function Component() {
  usePageTitle(t.sessions.title)
  const { user } = useSession()
  const [state, change] = useAddressState(readBoard, writeBoard)
  const { sessions, error, isPending, refetch } = useSessions()
  const isLate = useIsLate(isPending)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [ending, setEnding] = useState<readonly LiveSession[]>([])
  const page = useRef<HTMLDivElement>(null)

  const { held, header } = useSorting(sessions, state, change)
  const shown = sorted(filtered(sessions ?? [], state, user.id), state, held)
  const picked = (sessions ?? []).filter(({ id, canEnd }) => canEnd && selected.has(id))
  const content = () => {
    if (error && !sessions) {
      return (
        <Box p={24}>
          <ProblemAlert error={error} onRetry={() => void refetch()} />
        </Box>
      )
    }
    if (!sessions) {
      return isLate && <ListSkeleton />
    }
    if (sessions.length === 0) {
      return <EmptyState icon={IconPlugConnectedX} title={t.sessions.emptyTitle} hint={t.sessions.emptyHint} />
    }
    if (shown.length === 0) {
      return (
        <NoMatchState title={t.sessions.noMatch} hint={t.sessions.noMatchHint}>
          <Button variant="default" onClick={() => change({ text: '', kind: undefined, isMine: false })}>
            {t.sessions.showAll}
          </Button>
        </NoMatchState>
      )
    }
    return (
      <SessionList
        sessions={shown}
        header={header}
        selected={selected}
        onToggle={({ id }) =>
          setSelected((before) => {
            const after = new Set(before)
            return after.delete(id) ? after : after.add(id)
          })
        }
        onEnd={(session) => setEnding([session])}
      />
    )
  }

  return (
    <div className={`${listPage.page} ${classes.page}`} ref={page} tabIndex={-1}>
      <PageHead title={t.sessions.title} intro={t.sessions.intro} />
      <SharesLine />
      {sessions && sessions.length > 0 && (
        <Filters sessions={sessions} shown={shown.length} state={state} onChange={change} />
      )}
      <div className={classes.list}>{content()}</div>
      {picked.length > 0 && (
        <SelectionBar count={picked.length} onEnd={() => setEnding(picked)} onClear={() => setSelected(new Set())} />
      )}
      <EndSessions
        sessions={ending}
        onClose={() => setEnding([])}
        // The focused element may have been removed with its session.
        onClosed={() => document.activeElement === document.body && page.current?.focus()}
        onEnded={() => setSelected(new Set())}
      />
    </div>
  )
}
