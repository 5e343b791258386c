import { Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fact } from '../../components/fact.tsx'
import { TextLink } from '../../components/links.tsx'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { peopleQueries } from '../../api/people-queries.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { HeldRights } from '../../components/held-rights.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { RightsLinks } from '../../components/rights-links.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Timeline } from '../../features/timeline/timeline.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { calendarDay, exactTime, moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { StateBadge } from './people-columns.tsx'
import { PersonActions } from './person-actions.tsx'
import { PersonGroups } from './person-groups.tsx'
import { PersonSignedInDevices } from './person-signed-in-devices.tsx'
import { PersonTokens } from './person-tokens.tsx'
import { waysOf } from './person-texts.ts'
import facts from '../../components/device-facts.module.css'
import { QueryState } from '../../components/query-state.tsx'

const secondFactorOf = ({ isTwoFactorEnabled, passkeys }: PersonDetailDto) =>
  isTwoFactorEnabled ? t.people.codeOn : passkeys > 0 ? t.people.passkeyIsTwo : t.people.none

const Facts = ({ person }: { person: PersonDetailDto }) => (
  <dl className={facts.facts} aria-label={t.people.facts}>
    <Fact label={t.people.address}>
      <span>
        <bdi>{visibleName(person.email)}</bdi>{' '}
        {person.accountType !== 'External' && (
          <span className="small muted">{person.isEmailConfirmed ? t.people.confirmed : t.people.unconfirmed}</span>
        )}
      </span>
      <CopyButton text={person.email} hint={`${t.common.copy}: ${t.people.address}`} />
    </Fact>
    <Fact label={t.people.signsInWith}>{waysOf(person)}</Fact>
    {person.accountType === 'Interactive' && <Fact label={t.people.secondFactor}>{secondFactorOf(person)}</Fact>}
    <Fact label={t.people.lastSeen}>
      {person.lastSeenAt === null ? t.people.never : <RelativeTime at={person.lastSeenAt} />}
    </Fact>
    <Fact label={t.people.created}>
      <span title={exactTime(Date.parse(person.createdAt))}>{calendarDay(Date.parse(person.createdAt))}</span>
    </Fact>
  </dl>
)

const Rights = ({ person }: { person: PersonDetailDto }) => (
  <PaneSection title={t.people.rights}>
    {person.rights === null ? (
      <p className="muted">{t.people.rightsHidden(permissionTexts['tenant.permissions.read'].displayName)}</p>
    ) : person.rights.length === 0 ? (
      <p className="muted">{t.people.noRights}</p>
    ) : (
      <HeldRights rights={person.rights} label={t.people.rights} />
    )}
    <RightsLinks kind="User" id={person.id} />
  </PaneSection>
)

function Content({ person, onGone }: { person: PersonDetailDto; onGone: () => void }) {
  const { can } = useSession()
  const isPerson = person.accountType === 'Interactive'
  return (
    <>
      {person.disabledAt !== null && (
        <p role="status">{t.people.disabledSince(calendarDay(Date.parse(person.disabledAt)))}</p>
      )}
      {person.lockedUntil !== null && (
        <p role="status">{t.people.lockedUntil(moment(Date.parse(person.lockedUntil)))}</p>
      )}
      {person.isPasswordChangeRequired && <p role="status">{t.people.mustChange}</p>}
      <PersonActions person={person} onGone={onGone} />
      <Facts person={person} />
      <PersonGroups person={person} />
      <Rights person={person} />
      {isPerson && <PersonTokens person={person} />}
      {can('tenant.users.write') && person.beyond === null && <PersonSignedInDevices person={person} />}
      {can('appliance.audit.read') && (
        <PaneSection title={t.timeline.title} hint={t.people.activityHint}>
          <Timeline source={{ kind: 'person', userId: person.id, name: visibleName(person.name) }} limit={20} />
          <TextLink to={`/audit?${new URLSearchParams({ person: person.id })}`}>{t.people.openLog}</TextLink>
        </PaneSection>
      )}
    </>
  )
}

/** Side pane of a person. */
export function PersonPane({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { user } = useSession()
  const query = useQuery(peopleQueries.person(userId))
  const { data: person } = query
  return (
    <SidePane
      title={person ? visibleName(person.name) : ''}
      label={t.people.title}
      marks={
        person && (
          <Group gap={6}>
            <StateBadge person={person} />
            {person.id === user.id && (
              <Badge size="xs" variant="default">
                {t.people.you}
              </Badge>
            )}
          </Group>
        )
      }
      onClose={onClose}
    >
      {person ? (
        <Content key={person.id} person={person} onGone={onClose} />
      ) : (
        <QueryState query={query} height={240} />
      )}
    </SidePane>
  )
}
