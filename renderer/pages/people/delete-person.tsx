import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import { api } from '../../api/http.ts'
import { ConfirmDialog } from '../../components/list-kit/confirm-dialog.tsx'
import { useReloadPeople } from '../../hooks/use-reload-people.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { nameOf } from './person-words.ts'

interface DeletePersonProps {
  person: PersonDetailDto
  isOpen: boolean
  onClose: () => void
  onDeleted: () => void
}

const order = ['rights', 'groups', 'accessTokens', 'signIns', 'deviceLinks'] as const

/** Says what goes with an account, and asks for its name. */
export function DeletePerson({ person, isOpen, onClose, onDeleted }: DeletePersonProps) {
  const { tenantId } = useSession().user
  const reload = useReloadPeople()
  const gone = order.filter((kind) => person.goesWith[kind] > 0)
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t.people.deleteTitle(visibleName(nameOf(person)))}
      confirm={t.people.deleteConfirm}
      typedName={person.userName}
      onConfirm={() => api.users.delete({ tenantId, params: { userId: person.id } })}
      onConfirmed={() => {
        onDeleted()
        void reload()
      }}
      onClose={onClose}
    >
      <p>{t.people.deleteHint}</p>
      {gone.length === 0 ? (
        <p>{t.people.goesNothing}</p>
      ) : (
        <>
          <p>{t.people.goesWith}</p>
          <ul>
            {gone.map((kind) => (
              <li key={kind}>{t.people.goes[kind](person.goesWith[kind])}</li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  )
}
