import { MultiSelect, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { PlacementDto } from '../../../shared/api/appliance-deployments.ts'
import { organizeQueries } from '../../api/organize-queries.ts'
import { queries } from '../../api/queries.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import classes from './deploy-page.module.css'

export const noPlacement: PlacementDto = { customerId: null, deviceGroupIds: [], tagIds: [] }

const choices = (things: readonly { id: string; name: string }[] | undefined) =>
  (things ?? []).map(({ id, name }) => ({ value: id, label: name }))

interface PlacementFieldsProps {
  placement: PlacementDto
  onChange: (placement: PlacementDto) => void
}

/** Customer, groups and tags of the devices that a key registers, as far as the user may give them. */
export function PlacementFields({ placement, onChange }: PlacementFieldsProps) {
  const { user, can } = useSession()
  const { tenantId } = user
  const mayName = { customer: can('tenant.customers.read'), tags: can('device.tags.write') }
  const mayGroup = can('tenant.device-groups.read') && can('device-group.assign-devices')
  const customers = useQuery({ ...organizeQueries.customers(tenantId), enabled: mayName.customer }).data
  const groups = useQuery({ ...organizeQueries.organizedGroups(tenantId), enabled: mayGroup }).data
  const tags = useQuery({ ...queries.tags(tenantId), enabled: mayName.tags }).data
  const hasChoice = [customers, groups, tags].some((things) => things && things.length > 0)
  return (
    hasChoice && (
      <fieldset className={classes.place}>
        <legend>{t.deploy.place}</legend>
        <div className={classes.fields}>
          {customers && customers.length > 0 && (
            <Select
              label={t.deploy.customer}
              placeholder={t.deploy.noCustomer}
              w={220}
              searchable
              clearable
              data={choices(customers)}
              value={placement.customerId}
              onChange={(customerId) => onChange({ ...placement, customerId })}
            />
          )}
          {groups && groups.length > 0 && (
            <MultiSelect
              label={t.deploy.groups}
              w={240}
              searchable
              data={choices(groups)}
              value={[...placement.deviceGroupIds]}
              onChange={(deviceGroupIds) => onChange({ ...placement, deviceGroupIds })}
            />
          )}
          {tags && tags.length > 0 && (
            <MultiSelect
              label={t.deploy.tags}
              w={240}
              searchable
              data={choices(tags)}
              value={[...placement.tagIds]}
              onChange={(tagIds) => onChange({ ...placement, tagIds })}
            />
          )}
        </div>
        <p className="small muted">{t.deploy.placeHint}</p>
      </fieldset>
    )
  )
}
