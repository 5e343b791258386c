import { CloseButton, Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Fact } from '../../../components/fact.tsx'
import { TextLink } from '../../../components/links.tsx'
import { api } from '../../../api/http.ts'
import { deviceQueries } from '../../../api/device-queries.ts'
import { organizationQueries } from '../../../api/organization-queries.ts'
import { invalidate } from '../../../api/query-client.ts'
import { Section } from '../../../components/device-facts.tsx'
import { problemText } from '../../../components/problem-alert.tsx'
import { GrantLines } from '../../../components/grant-lines.tsx'
import { ThingRightsLinks } from '../../../components/rights-links.tsx'
import { TagChip } from '../../../components/tag-chip.tsx'
import * as t from '../../../texts.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { useSession } from '../../../hooks/use-session.ts'
import { visibleName } from '../../../text/visible-name.ts'
import classes from './overview.module.css'

const readRights = { customers: 'tenant.customers.read', groups: 'tenant.device-groups.read' } as const

/** Name of a customer or group; a link for people who may open it. */
function ThingLink({ tab, id, name }: { tab: keyof typeof readRights; id: string; name: string }) {
  const { can } = useSession()
  const text = <bdi>{visibleName(name)}</bdi>
  return can(readRights[tab]) ? <TextLink to={`/organize/${tab}?open=${id}`}>{text}</TextLink> : text
}

/** Customer, groups and tags of the device. Tags can be edited; the change arrives over the live channel. */
export function LabelsSection() {
  const { device, can } = usePageDevice()
  const groups = useQuery(deviceQueries.groups(device.id)).data
  const tags = useQuery(organizationQueries.tags).data ?? []
  const own = tags.filter(({ id }) => device.tagIds?.includes(id))
  const others = tags.filter(({ id }) => !device.tagIds?.includes(id))
  const change = useMutation({
    mutationFn: ({ tagId, isOn }: { tagId: string; isOn: boolean }) =>
      isOn
        ? api.deviceTags.add({ body: { deviceId: device.id, tagId } })
        : api.deviceTags.remove({ params: { deviceId: device.id, tagId } }),
    onSettled: () => invalidate(deviceQueries.device(device.id).queryKey),
  })
  const mayTag = can('device.tags.write')
  return (
    <Section title={t.visit.labels.title}>
      <dl className={classes.labels}>
        <Fact label={t.common.customer}>
          {device.customerName === null ? (
            t.visit.labels.none
          ) : (
            <ThingLink tab="customers" id={device.customerId!} name={device.customerName} />
          )}
        </Fact>
        {groups !== null && (
          <Fact label={t.visit.labels.groups}>
            {groups?.length === 0 && t.visit.labels.none}
            {groups?.map(({ id, name }) => (
              <ThingLink key={id} tab="groups" id={id} name={name} />
            ))}
          </Fact>
        )}
        <Fact label={t.visit.labels.tags}>
          {own.length === 0 && !mayTag && t.visit.labels.none}
          {own.map(({ id, name }) => (
            <TagChip key={id} tagId={id} name={name}>
              {mayTag && (
                <CloseButton
                  size="xs"
                  aria-label={t.visit.labels.removeTag(name)}
                  onClick={() => change.mutate({ tagId: id, isOn: false })}
                />
              )}
            </TagChip>
          ))}
          {mayTag && tags.length > 0 && (
            <Select
              size="xs"
              w={140}
              searchable
              aria-label={t.visit.labels.addTag}
              placeholder={t.visit.labels.addTag}
              nothingFoundMessage={t.visit.labels.noTags}
              data={others.map(({ id, name }) => ({ value: id, label: name }))}
              value={null}
              disabled={change.isPending}
              onChange={(tagId) => tagId && change.mutate({ tagId, isOn: true })}
            />
          )}
          {mayTag && tags.length === 0 && t.visit.labels.none}
        </Fact>
      </dl>
      <GrantLines label={t.rights.whoHas} of={{ deviceId: device.id }} />
      <ThingRightsLinks kind="Device" id={device.id} />
      {change.error && (
        <p role="alert" className={classes.problem}>
          {problemText(change.error)}
        </p>
      )}
    </Section>
  )
}
