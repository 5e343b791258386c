import { ActionIcon, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconBoxMultiple, IconX } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { DeviceGroupResponseDto as DeviceGroup } from '../../../shared/dtos/device-group.ts'
import { api } from '../../api/http.ts'
import { organizeQueries } from '../../api/organize-queries.ts'
import { queries } from '../../api/queries.ts'
import { deviceAddress } from '../../components/device-tabs.ts'
import { deleteLater, useWaitingDeletions } from '../../components/list-kit/delete-later.tsx'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage } from '../../components/list-kit/list-page.tsx'
import { ListView } from '../../components/list-kit/list-view.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { PaneSection, PaneState, SidePane } from '../../components/list-kit/side-pane.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import { ThingRightsLinks } from '../../components/rights-links.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import classes from './organize.module.css'
import { CreateField, DeleteButton, DevicesLink, includesText, MergeField, NameCell, SavedField } from './things.tsx'

const refreshMs = 10_000
const typingMs = 200
const maxName = 100
const maxText = 500

const columns: ListColumn<DeviceGroup>[] = [
  {
    id: 'name',
    label: t.organize.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => (
      <NameCell>
        <span className="truncate">{name}</span>
      </NameCell>
    ),
  },
  {
    id: 'description',
    label: t.organize.description,
    width: 'minmax(0, 1fr)',
    from: 600,
    cell: ({ description }) => <span className="truncate muted">{description}</span>,
  },
  {
    id: 'devices',
    label: t.organize.devices,
    width: '90px',
    cell: ({ memberCount }) => <span className="tabular">{memberCount.toLocaleString()}</span>,
  },
]

function useGroupWrites() {
  const client = useQueryClient()
  const { tenantId } = useSession().user
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['device-groups'] }),
      client.invalidateQueries({ queryKey: ['devices'] }),
    ])
  return { tenantId, refresh }
}

/** Field that finds a device and adds it to the group. */
function AddMember({ isMember, onAdd }: { isMember: (id: string) => boolean; onAdd: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [settled] = useDebouncedValue(typed, typingMs)
  const { data } = useQuery({
    ...queries.devicePage({ query: settled, sortDefinitions: [{ propertyName: 'Name' }] }, { page: 0, pageSize: 30 }),
    enabled: settled.trim() !== '',
  })
  const found = settled.trim() === '' ? [] : (data?.items ?? []).filter(({ id }) => !isMember(id))
  return (
    <Select
      label={t.organize.groups.add}
      description={t.organize.groups.addHint}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The server searches by more than the label.
      filter={({ options }) => options}
      nothingFoundMessage={typed.trim() === '' ? undefined : t.organize.groups.noneFound}
      data={found.map(({ id, name, alias }) => ({ value: id, label: alias ?? name }))}
      value={null}
      onChange={(id) => {
        if (id) {
          onAdd(id)
          setTyped('')
        }
      }}
    />
  )
}

interface GroupPaneProps {
  group: DeviceGroup
  others: readonly DeviceGroup[]
  mayWrite: boolean
  onClose: () => void
  onMerged: (groupId: string) => void
}

function GroupPane({ group, others, mayWrite, onClose, onMerged }: GroupPaneProps) {
  const { can } = useSession()
  const { tenantId, refresh } = useGroupWrites()
  const at = { tenantId, params: { deviceGroupId: group.id } }
  const detail = useQuery(organizeQueries.organizedGroup(tenantId, group.id))
  const members = detail.data?.members ?? []
  const mayFill = can('device-group.assign-devices')
  const change = useMutation({
    mutationFn: ({ deviceId, isOn }: { deviceId: string; isOn: boolean }) =>
      api.deviceGroups[isOn ? 'addMembers' : 'removeMembers']({ ...at, body: { deviceIds: [deviceId] } }),
    onSettled: refresh,
  })
  const update = async (changes: Partial<Pick<DeviceGroup, 'name' | 'description'>>) => {
    await api.deviceGroups.update({
      ...at,
      body: { name: group.name, description: group.description, ...changes },
    })
    await refresh()
  }
  return (
    <SidePane title={group.name} onClose={onClose}>
      <div className={classes.form}>
        <DevicesLink field="group" name={group.name} count={group.memberCount} />
        <SavedField
          label={t.organize.name}
          maxLength={maxName}
          value={group.name}
          readOnly={!mayWrite}
          onSave={(name) => update({ name })}
        />
        <SavedField
          label={t.organize.description}
          maxLength={maxText}
          isArea
          value={group.description ?? ''}
          readOnly={!mayWrite}
          onSave={(description) => update({ description: description || null })}
        />
        <ThingRightsLinks kind="DeviceGroup" id={group.id} />
        <PaneSection title={t.organize.groups.members}>
          <PaneState error={detail.error} isPending={detail.isPending} onRetry={() => void detail.refetch()} />
          {change.error && <p role="alert">{problemText(change.error)}</p>}
          <ul className={classes.members}>
            {members.map(({ deviceId, deviceName, alias }) => (
              <li key={deviceId}>
                <Link className="truncate" to={deviceAddress(deviceId)}>
                  {alias ?? deviceName}
                </Link>
                {mayFill && (
                  <ActionIcon
                    size="sm"
                    aria-label={t.organize.groups.remove(alias ?? deviceName)}
                    onClick={() => change.mutate({ deviceId, isOn: false })}
                  >
                    <IconX size={14} />
                  </ActionIcon>
                )}
              </li>
            ))}
          </ul>
          {mayFill && (
            <AddMember
              isMember={(id) => members.some(({ deviceId }) => deviceId === id)}
              onAdd={(deviceId) => change.mutate({ deviceId, isOn: true })}
            />
          )}
        </PaneSection>
        {mayWrite && mayFill && (
          <MergeField
            name={group.name}
            others={others}
            hint={(into) => t.organize.groups.mergeHint(group.memberCount, into)}
            onMerge={async (intoDeviceGroupId) => {
              await api.organization.mergeDeviceGroup({ ...at, body: { intoDeviceGroupId } })
              await refresh()
              onMerged(intoDeviceGroupId)
            }}
          />
        )}
        {mayWrite && (
          <DeleteButton
            label={t.organize.delete(group.name)}
            hint={t.organize.groups.deleteHint}
            onDelete={() => {
              onClose()
              deleteLater([group.id], t.organize.deleted(group.name), async () => {
                await api.deviceGroups.delete(at)
                await refresh()
              })
            }}
          />
        )}
      </div>
    </SidePane>
  )
}

/** Device groups of the organization. */
export function GroupsTab({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const mayWrite = can('tenant.device-groups.write')
  const { tenantId, refresh } = useGroupWrites()
  const [address, change] = useListAddress(['q'])
  const query = useQuery({ ...organizeQueries.organizedGroups(tenantId), refetchInterval: refreshMs })
  const waiting = useWaitingDeletions()
  const all = (query.data ?? []).filter(({ id }) => !waiting.has(id))
  const data = wholeList(
    query,
    all.filter(({ name, description }) => includesText(`${name} ${description ?? ''}`, address.q)),
  )
  const open = all.find(({ id }) => id === address.open)
  const close = () => change({ open: '' })
  const create = mayWrite && (
    <CreateField
      id="new-group"
      label={t.organize.groups.create}
      maxLength={maxName}
      create={async (name) => {
        const { id } = await api.deviceGroups.create({ tenantId, body: { name } })
        await refresh()
        change({ open: id, q: '' })
      }}
    />
  )
  return (
    <ListPage
      title={t.organize.title}
      intro={mayWrite ? t.organize.intro : t.organize.groups.readOnly}
      action={all.length > 0 && create}
      notice={tabs}
      filters={<SearchField label={t.organize.search} text={address.q} onChange={(q) => change({ q })} />}
      isFiltered={address.q !== ''}
      onClearFilters={() => change({ q: '' })}
      shown={query.data ? t.organize.groups.shown(data.rows.length) : ''}
      onClosePane={close}
      pane={
        open && (
          <GroupPane
            key={open.id}
            group={open}
            others={all.filter(({ id }) => id !== open.id)}
            mayWrite={mayWrite}
            onClose={close}
            onMerged={(id) => change({ open: id })}
          />
        )
      }
    >
      <ListView
        label={t.organize.tabs.groups}
        data={data}
        columns={columns}
        openId={address.open || undefined}
        onOpen={(id) => change({ open: id ?? '' })}
        isFiltered={address.q !== ''}
        onClearFilters={() => change({ q: '' })}
        empty={{
          icon: IconBoxMultiple,
          title: t.organize.groups.emptyTitle,
          hint: t.organize.groups.emptyHint,
          action: create,
        }}
      />
    </ListPage>
  )
}
