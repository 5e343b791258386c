import { Button, Select } from '@mantine/core'
import { IconShieldCheck, IconShieldPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ScopeKind } from '../../../shared/access.ts'
import type { RightsSearch } from '../../../shared/api/appliance-rights.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { offeredRoles, roleNames, roles, isDeviceRole, roleScopes, type RoleName } from '../../../shared/roles.ts'
import { api } from '../../api/http.ts'
import { rightsQueries } from '../../api/rights-queries.ts'
import { Chip } from '../../components/list-kit/chip.tsx'
import { FilterChips } from '../../components/list-kit/filter-chips.tsx'
import { usePagedList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import { useRowSelection } from '../../components/list-kit/use-row-selection.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { checkAddress } from '../../components/rights-links.tsx'
import { heldLabel, thingName } from '../../components/rights-texts.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { exactTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { GiveDialog, firstDraft, type Draft } from './give-dialog.tsx'
import { GrantPane } from './grant-pane.tsx'
import { rowOf, standing, type GrantRow } from './grant-row.ts'
import { SelectedGrants } from './selected-grants.tsx'
import type { Choice } from '../../components/search-select.tsx'

const isRole = (text: string): text is RoleName => (roleNames as string[]).includes(text)

interface GiveAddress {
  /** Role that the dialog begins with; without one it is closed. */
  give: string
  principal: string
  kind: string
  place: string
  thing: string
}

/** Draft of the dialog that the address opens, once the names of its receiver and its place are known. */
function useGiveStart({ give, principal, kind, place, thing }: GiveAddress): Draft | undefined {
  const ids = [kind && principal, place && thing].filter((id) => id !== '')
  const { data, isFetched } = useQuery(rightsQueries.names(ids))
  if (!isRole(give) || (ids.length > 0 && !isFetched)) {
    return undefined
  }
  const named = (kindOf: string, id: string): Choice[] =>
    ids.includes(id) ? [{ kind: kindOf, id, name: data?.get(id) ?? t.rights.hidden[kindOf] ?? '…' }] : []
  const draft = firstDraft(named(kind, principal), give)
  const choices = named(place, thing)
  const reaches = isDeviceRole(give) && (roleScopes(give) as readonly string[]).includes(place)
  return choices.length > 0 && reaches ? { ...draft, scope: { kind: place as ScopeKind, choices } } : draft
}

const pageSize = 100
const noFilters = { q: '', state: '', role: '', principal: '', kind: '', device: '', place: '', thing: '' }
const filterNames = Object.keys(noFilters) as (keyof typeof noFilters)[]
const states = ['active', 'ending', 'ended', 'disabled', 'deny'] as const

const nameOf = (grant: GrantRow) => `${thingName(grant.principal)}: ${heldLabel(grant)}, ${thingName(grant.scope)}`

const columns: readonly ListColumn<GrantRow>[] = [
  {
    id: 'who',
    label: t.rights.who,
    width: 'minmax(0, 1fr)',
    cell: ({ principal }) => <bdi>{thingName(principal)}</bdi>,
  },
  {
    id: 'kind',
    label: '',
    width: '112px',
    from: 960,
    cell: ({ principal }) => <span className="muted">{t.rights.kinds[principal.kind]}</span>,
  },
  {
    id: 'what',
    label: t.rights.what,
    width: 'minmax(0, 1.2fr)',
    cell: (grant) => `${grant.effect === 'Deny' ? `${t.rights.never}: ` : ''}${heldLabel(grant)}`,
  },
  { id: 'where', label: t.rights.where, width: 'minmax(0, 1fr)', cell: ({ scope }) => <bdi>{thingName(scope)}</bdi> },
  {
    id: 'end',
    label: t.rights.end,
    width: '132px',
    from: 460,
    cell: (grant) => (
      <span className="muted" title={grant.endsAt === null ? undefined : exactTime(Date.parse(grant.endsAt))}>
        {standing(grant)}
      </span>
    ),
  },
]

function useGrants({ q, state, role, principal, device, place, thing }: typeof noFilters) {
  const query = {
    ...(q && { text: q.slice(0, 128) }),
    ...(states.some((own) => own === state) && { state: state as RightsSearch['state'] }),
    ...(isRole(role) && { role }),
    ...(principal && { principalId: principal }),
    ...(device && { deviceId: device }),
    ...(place && thing && { scopeKind: place as ScopeKind, scopeId: thing }),
  }
  return usePagedList(['rights', 'list', query], async (skip, signal) => {
    const page = { page: Math.floor(skip / pageSize), pageSize }
    const { items, totalItems } = await api.rights.list({ query: { ...query, ...page } }, signal)
    return { items: items.map(rowOf), total: totalItems }
  })
}

/** Filters that are cleared together with the id. */
const related = { principal: { kind: '' }, device: {}, thing: { place: '' } }

/** Chips of the principal, the device and the place that links to this page name; a click removes them. */
function LinkedChips({ principal, device, thing, onChange }: LinkedChipsProps) {
  const ids = [principal, device, thing].filter((id) => id !== '')
  const { data: names } = useQuery(rightsQueries.names(ids))
  const chip = (id: string, text: string, name: 'principal' | 'device' | 'thing') =>
    id !== '' && (
      <Chip isOn onClick={() => onChange({ [name]: '', ...related[name] })}>
        {text}
      </Chip>
    )
  const nameOf = (id: string) => visibleName(names?.get(id) ?? '…')
  return (
    <>
      {chip(principal, t.rights.onlyPrincipal(nameOf(principal)), 'principal')}
      {chip(device, t.rights.onlyDevice(nameOf(device)), 'device')}
      {chip(thing, t.rights.onlyPlace(nameOf(thing)), 'thing')}
      {device !== '' && (
        <Link className="small" to={checkAddress({ place: 'Device', thing: device })}>
          {t.rights.checkHere}
        </Link>
      )}
    </>
  )
}

interface LinkedChipsProps {
  principal: string
  device: string
  thing: string
  onChange: (changes: Partial<typeof noFilters>) => void
}

/** List of assignments. */
export function GrantsPart({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const [address, change, list] = useListAddress(filterNames, ['give'])
  const data = useGrants(address)
  const selection = useRowSelection(data.rows, nameOf)
  const start = useGiveStart(address)
  const mayWrite = can('tenant.permissions.write')
  const close = () => change({ open: '' })
  const open = data.rows.find(({ assignmentIds }) => assignmentIds.includes(address.open))
  const give = mayWrite && (
    <Button leftSection={<IconShieldPlus size={16} />} onClick={() => change({ give: 'Technician' })}>
      {t.rights.give}
    </Button>
  )
  return (
    <ListPage
      list={list}
      title={t.rights.title}
      intro={mayWrite ? t.rights.intro : t.rights.needs(permissionTexts['tenant.permissions.write'].displayName)}
      action={give}
      notice={tabs}
      filters={
        <>
          <SearchField label={t.rights.search} text={address.q} onChange={(q) => change({ q })} />
          <Select
            aria-label={t.rights.role}
            placeholder={t.rights.anyRole}
            data={offeredRoles.map((name) => ({ value: name, label: roles[name].title }))}
            value={address.role || null}
            onChange={(role) => change({ role: role ?? '' })}
            clearable
            w={190}
          />
          <FilterChips
            label={t.common.state}
            chips={states.map((value) => ({ value, label: t.rights.state[value] }))}
            value={address.state}
            onChange={(state) => change({ state })}
          />
          <LinkedChips principal={address.principal} device={address.device} thing={address.thing} onChange={change} />
        </>
      }
      shown={data.total === undefined ? '' : t.rights.shown(data.total)}
      pane={
        open && <GrantPane key={open.id} grant={open} onShow={(id) => change({ open: id ?? '' })} onClose={close} />
      }
    >
      <ListView
        list={{ ...list, openId: open?.id }}
        label={t.rights.list}
        data={data}
        columns={columns}
        selection={mayWrite ? selection : undefined}
        isMuted={({ isEnabled, hasEnded }) => !isEnabled || hasEnded}
        empty={{ icon: IconShieldCheck, title: t.rights.emptyTitle, hint: t.rights.emptyHint, action: give }}
      />
      {mayWrite && <SelectedGrants selection={selection} />}
      <GiveDialog start={mayWrite ? start : undefined} onClose={() => change({ give: '' })} />
    </ListPage>
  )
}
