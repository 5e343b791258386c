import { MultiSelect } from '@mantine/core'
import { isDeviceRole, offeredRoles, roles, roleScopes, type RoleName } from '../../../shared/roles.ts'
import { ScopeField, scopesOf, type ScopeChoice } from '../../components/scope-field.tsx'
import { roleSentence } from '../../components/rights-texts.ts'
import { SearchSelect, type Choice } from '../../components/search-select.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'

/** Roles and groups of a new person, as chosen so far. */
export interface Start {
  roles: RoleName[]
  scope: ScopeChoice
  groups: Choice[]
}

export const noStart: Start = { roles: [], scope: { kind: 'Tenant', choices: [] }, groups: [] }

const reachesDevices = ({ roles: chosen }: Start) => chosen.some(isDeviceRole)

/** The choice as requests name it. */
export const startOf = (start: Start) => ({
  roles: start.roles,
  scopes: reachesDevices(start) ? scopesOf(start.scope) : [],
  groupIds: start.groups.map(({ id }) => id),
})

/** True unless a role on devices reaches nothing yet. */
export const isStartComplete = (start: Start): boolean => !reachesDevices(start) || scopesOf(start.scope).length > 0

const isOffered = (can: (right: 'server.permissions.write') => boolean) => (name: RoleName) =>
  name !== 'Self Service' && (name !== 'Server Administrator' || can('server.permissions.write'))

/** Says what a role lets do at the chosen places: "may control … the devices of Contoso". */
function sentenceOf(name: RoleName, { scope: { kind, choices } }: Start): string {
  const place = { kind, id: null, name: choices.map((choice) => choice.name).join(', ') || '…' }
  return roleSentence('', name, place, false).trim()
}

/** Fields that say what a new person may do, as far as the administrator may decide it. */
export function StartFields({ value, onChange }: { value: Start; onChange: (value: Start) => void }) {
  const { can } = useSession()
  return (
    <>
      {can('tenant.permissions.write') && (
        <MultiSelect
          label={t.people.startRoles}
          searchable
          description={
            value.roles.length === 0
              ? t.people.startRolesHint
              : value.roles.map((name) => `${roles[name].title}: ${sentenceOf(name, value)}.`).join(' ')
          }
          data={offeredRoles.filter(isOffered(can)).map((name) => ({ value: name, label: roles[name].title }))}
          value={value.roles}
          onChange={(chosen) => onChange({ ...value, roles: chosen as RoleName[] })}
        />
      )}
      {reachesDevices(value) && (
        <ScopeField
          kinds={roleScopes('Technician')}
          value={value.scope}
          onChange={(scope) => onChange({ ...value, scope })}
        />
      )}
      {can('user-group.assign-users') && can('tenant.user-groups.read') && (
        <SearchSelect
          label={t.people.groups}
          kind="UserGroup"
          value={value.groups}
          onChange={(groups) => onChange({ ...value, groups })}
        />
      )}
    </>
  )
}
