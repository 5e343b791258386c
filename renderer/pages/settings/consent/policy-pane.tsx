import { Group } from '@mantine/core'
import type { ConsentPolicyBody, ConsentPolicyDto } from '../../../../shared/api/appliance-consent.ts'
import { consentSubjects } from '../../../../shared/dtos/consent.ts'
import { permissionTexts } from '../../../../shared/permission-texts.ts'
import { consentQueries } from '../../../api/consent-queries.ts'
import { api } from '../../../api/http.ts'
import { invalidate } from '../../../api/query-client.ts'
import { DeleteButton, FormButton } from '../../../components/list-kit/dialogs.tsx'
import { PaneSection, SidePane } from '../../../components/list-kit/side-pane.tsx'
import { useSession } from '../../../hooks/use-session.ts'
import { visibleName } from '../../../text/visible-name.ts'
import * as t from '../../../texts.ts'
import { PolicyForm } from './policy-form.tsx'

const bodyOf = ({ id: _, createdAt: __, ...body }: ConsentPolicyDto): ConsentPolicyBody => body

interface PolicyPaneProps {
  policy: ConsentPolicyDto
  /** Devices of the policy, in words. */
  devices: string
  onClose: () => void
}

/** Side pane of a policy. */
export function PolicyPane({ policy, devices, onClose }: PolicyPaneProps) {
  const { can } = useSession()
  const { id, name, allowsSilence, exceptPermission } = policy
  const params = { policyId: id }
  const reload = () => invalidate(consentQueries.all)
  return (
    <SidePane title={visibleName(name)} onClose={onClose}>
      <PaneSection title={t.consent.devices}>
        <p>{devices}</p>
      </PaneSection>
      <PaneSection title={t.consent.before}>
        <dl>
          {consentSubjects.map((subject) => (
            <div key={subject}>
              <dt className="muted">{t.consent.subjects[subject]}</dt>
              <dd>{t.consent.modes[policy[subject]]}</dd>
            </div>
          ))}
        </dl>
      </PaneSection>
      <PaneSection title={t.consent.silence}>
        <p>{t.consent.silenceChoices[allowsSilence ? 'allow' : 'refuse']}</p>
      </PaneSection>
      <PaneSection title={t.consent.except}>
        <p>{exceptPermission === null ? t.consent.nobody : permissionTexts[exceptPermission].displayName}</p>
      </PaneSection>
      {can('tenant.settings.write') && (
        <Group mt="md">
          <FormButton size="lg" label={t.consent.edit} title={t.consent.editTitle(visibleName(name))}>
            {(close) => (
              <PolicyForm
                start={bodyOf(policy)}
                submit={t.common.save}
                save={(body) => api.consent.update({ params, body })}
                onSaved={() => {
                  void reload()
                  close()
                }}
                onCancel={close}
              />
            )}
          </FormButton>
          <DeleteButton
            label={t.consent.remove}
            title={t.consent.removeTitle(visibleName(name))}
            onConfirm={() => api.consent.delete({ params })}
            onConfirmed={() => {
              onClose()
              void reload()
            }}
          >
            {t.consent.removeHint}
          </DeleteButton>
        </Group>
      )}
    </SidePane>
  )
}
