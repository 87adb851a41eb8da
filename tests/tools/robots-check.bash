# Bash completion for robots-check. A test compares it with the options of the program.
_robots_check() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} words=
  case $command in audit | store | rulings) command+=" ${COMP_WORDS[2]}" ;; esac

  if [[ $previous == --dialect ]]; then
    words='rfc9309 google'
  elif [[ $previous == --purpose ]]; then
    words='fetch follow index snippet archive translate image_index search ai_input ai_train tdm'
  elif [[ $previous == --fallback ]]; then
    words='permissive rfc9309 strict'
  elif [[ $word == -* ]]; then
    case $command in
      fetch) words='--user-agent --dialect --fallback --attempts --timeout --ca-file --connect-to
               --allow-address --proxy --purpose --json' ;;
      parse) words='--dialect' ;;
      lint) words='--user-agent --dialect --attempts --timeout --ca-file --connect-to
              --allow-address --proxy --json' ;;
      diff) words='--user-agent --dialect --json' ;;
      'audit verify') words='--key --head --json' ;;
      'store list' | 'rulings list') words='--json' ;;
      'rulings halt' | 'rulings resume' | *' override') words='--maker --json' ;;
      'rulings sign-off') words='--maker --withdraw --json' ;;
      'rulings import') words='--dry-run --json' ;;
      'audit report' | 'store erase') ;;
      *) words='--user-agent --dialect --exclude --file --store --fallback --attempts --timeout
           --ca-file --connect-to --allow-address --proxy --purpose --header --page --tdmrep --repeat --explain --stats --timing
           --json' ;;
    esac
    words+=' --help'
    [[ $COMP_CWORD == 1 ]] && words+=' --version'
  elif [[ $COMP_CWORD == 1 ]]; then
    words='check fetch parse lint diff audit store rulings'
  elif [[ $COMP_CWORD == 2 && $previous == audit ]]; then
    words='verify report'
  elif [[ $COMP_CWORD == 2 && $previous == store ]]; then
    words='list erase override'
  elif [[ $COMP_CWORD == 2 && $previous == rulings ]]; then
    words='list halt resume override sign-off import'
  elif [[ $COMP_CWORD == 4 && ($command == 'store override' || $command == 'rulings override') ]]; then
    words='allow deny none'
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _robots_check robots-check
