import { ActionIcon, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconBoxMultiple, IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { TextLink } from '../../components/links.tsx'
import type { DeviceGroupResponseDto as DeviceGroup } from '../../../shared/dtos/device-group.ts'
import { maxResourceName, maxResourceText } from '../../../shared/contract/fields.ts'
import { api } from '../../api/http.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import { deviceAddress } from '../../components/device-tabs.ts'
import { useWaitingDeletions } from '../../components/list-kit/delete-later.ts'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { ThingRightsLinks } from '../../components/rights-links.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { columnsOf, refreshMs, ItemList, ItemPane, useItems, type PaneHandlers } from './item-list.tsx'
import { DevicesLink, NameCell, SavedField } from './organize-fields.tsx'
import rows from '../../components/pane-rows.module.css'

const typingMs = 200
/** Members in the pane; the others are one click away, in the device list. */
const shownMembers = 100

const columns = columnsOf<DeviceGroup>(
  ({ name }) => <NameCell name={name} />,
  ({ memberCount }) => memberCount,
)

const useGroups = () =>
  useItems('device-groups', (deviceGroupId) => api.deviceGroups.delete({ params: { deviceGroupId } }))

/** Field that finds a device and adds it to the group. */
function AddMember({ isMember, onAdd }: { isMember: (id: string) => boolean; onAdd: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [settled] = useDebouncedValue(typed, typingMs)
  const { data } = useQuery({
    ...deviceQueries.page({ query: settled, sortDefinitions: [{ propertyName: 'Name' }] }, { page: 0, pageSize: 30 }),
    enabled: settled.trim() !== '',
  })
  // Enter acts on the typed text: devices found for an earlier text cannot be chosen.
  const isSettled = settled === typed && (data !== undefined || settled.trim() === '')
  const found = !isSettled || settled.trim() === '' ? [] : (data?.items ?? []).filter(({ id }) => !isMember(id))
  return (
    <Select
      label={t.organize.groups.add}
      description={t.organize.groups.addHint}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The server searches by more than the label.
      filter={({ options }) => options}
      nothingFoundMessage={
        typed.trim() === '' ? undefined : isSettled ? t.organize.groups.noneFound : t.common.searching
      }
      data={found.map((device) => ({ value: device.id, label: nameOfDevice(device) }))}
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

/** Members of a group, with what adds and removes devices. */
function Members({ group: { id, name, memberCount } }: { group: DeviceGroup }) {
  const { can } = useSession()
  const { refresh } = useGroups()
  const detail = useQuery(organizationQueries.deviceGroup(id))
  const members = detail.data?.members ?? []
  const mayFill = can('device-group.assign-devices')
  const change = useMutation({
    mutationFn: ({ deviceId, isOn }: { deviceId: string; isOn: boolean }) =>
      api.deviceGroups[isOn ? 'addMembers' : 'removeMembers']({
        params: { deviceGroupId: id },
        body: { deviceIds: [deviceId] },
      }),
    onSettled: refresh,
  })
  return (
    <PaneSection title={t.organize.groups.members}>
      <QueryState query={detail} height={240} />
      {change.error && <ProblemAlert error={change.error} />}
      {mayFill && (
        <AddMember
          isMember={(deviceId) => members.some((member) => member.deviceId === deviceId)}
          onAdd={(deviceId) => change.mutate({ deviceId, isOn: true })}
        />
      )}
      <ul className={rows.list}>
        {members.slice(0, shownMembers).map(({ deviceId, deviceName, alias }) => (
          <li key={deviceId} className={rows.row}>
            <TextLink className={rows.text} to={deviceAddress(deviceId)}>
              <bdi>{nameOfDevice({ name: deviceName, alias })}</bdi>
            </TextLink>
            {mayFill && (
              <ActionIcon
                size="sm"
                aria-label={t.organize.groups.remove(nameOfDevice({ name: deviceName, alias }))}
                onClick={() => change.mutate({ deviceId, isOn: false })}
              >
                <IconX size={14} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      {members.length > shownMembers && <DevicesLink field="group" name={name} count={memberCount} />}
    </PaneSection>
  )
}

interface GroupPaneProps extends PaneHandlers {
  group: DeviceGroup
  groups: readonly DeviceGroup[]
  mayWrite: boolean
}

function GroupPane({ group, groups, mayWrite, ...handlers }: GroupPaneProps) {
  const { can } = useSession()
  const { refresh, remove } = useGroups()
  const { name, description } = group
  const at = { params: { deviceGroupId: group.id } }
  const update = async (changes: Partial<Pick<DeviceGroup, 'name' | 'description'>>) => {
    await api.deviceGroups.update({ ...at, body: { name, description, ...changes } })
    await refresh()
  }
  return (
    <ItemPane
      {...handlers}
      item={group}
      field="group"
      deviceCount={group.memberCount}
      maxName={maxResourceName}
      mayWrite={mayWrite}
      mayMerge={mayWrite && can('device-group.assign-devices')}
      others={groups}
      onRename={(next) => update({ name: next })}
      mergeHint={(into) => t.organize.groups.mergeHint(group.memberCount, into)}
      onMerge={async (intoDeviceGroupId) => {
        await api.organization.mergeDeviceGroup({ ...at, body: { intoDeviceGroupId } })
        await refresh()
      }}
      deleteHint={t.organize.groups.deleteHint}
      onDelete={() => remove([group])}
    >
      <SavedField
        label={t.organize.description}
        maxLength={maxResourceText}
        isArea
        value={description ?? ''}
        readOnly={!mayWrite}
        onSave={(next) => update({ description: next || null })}
      />
      <ThingRightsLinks kind="DeviceGroup" id={group.id} />
      <Members group={group} />
    </ItemPane>
  )
}

/** Device groups of the organization. */
export function GroupsTab({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const mayWrite = can('tenant.device-groups.write')
  const { refresh, remove } = useGroups()
  const query = useQuery({ ...organizationQueries.deviceGroups, refetchInterval: refreshMs })
  const waiting = useWaitingDeletions()
  const all = (query.data ?? []).filter(({ id }) => !waiting.has(id))
  return (
    <ItemList
      kind="groups"
      tabs={tabs}
      query={query}
      all={all}
      columns={columns}
      icon={IconBoxMultiple}
      mayWrite={mayWrite}
      maxName={maxResourceName}
      create={async (name) => {
        const made = await api.deviceGroups.create({ body: { name } })
        await refresh()
        return made
      }}
      remove={remove}
      pane={(group, handlers) => (
        <GroupPane {...handlers} key={group.id} group={group} groups={all} mayWrite={mayWrite} />
      )}
    />
  )
}
