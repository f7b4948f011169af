/** The completion scripts of the shells. On each Tab they call `plumbline compose __complete`, or that of `api`. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The commands whose words are completed. */
const COMPLETING = ['compose', 'api'];

const SCRIPTS: Readonly<Record<Shell, (names: string) => string>> = {
  bash: (names) => `# plumbline completion bash > /etc/bash_completion.d/plumbline
_plumbline() {
  COMPREPLY=()
  # Not compgen -W for what commands print: that would run a command in a name.
  if [ "$COMP_CWORD" -eq 1 ]; then mapfile -t COMPREPLY < <(compgen -W "${names}" -- "\${COMP_WORDS[1]}"); return; fi
  case "\${COMP_WORDS[1]}" in ${COMPLETING.join('|')}) ;; *) return ;; esac
  mapfile -t COMPREPLY < <("\${COMP_WORDS[0]}" "\${COMP_WORDS[1]}" __complete -- "\${COMP_WORDS[@]:2:COMP_CWORD-1}" 2>/dev/null)
}
complete -o default -F _plumbline plumbline
`,
  zsh: (names) => `#compdef plumbline
# plumbline completion zsh > "\${fpath[1]}/_plumbline"
_plumbline() {
  if (( CURRENT == 2 )); then compadd ${names}; return; fi
  [[ $words[2] == (${COMPLETING.join('|')}) ]] || return
  local -a found
  found=("\${(@f)$($words[1] $words[2] __complete -- "\${(@)words[3,CURRENT]}" 2>/dev/null)}")
  compadd -a found || _files
}
compdef _plumbline plumbline
`,
  fish: (names) => `# plumbline completion fish > ~/.config/fish/completions/plumbline.fish
function __plumbline_words
  set -l words (commandline -opc) (commandline -ct)
  $words[1] $words[2] __complete -- $words[3..-1] 2>/dev/null
end
complete -c plumbline -n '__fish_is_nth_token 1' -a '${names}'
complete -c plumbline -n '__fish_seen_subcommand_from ${COMPLETING.join(' ')}' -a '(__plumbline_words)'
`,
};

/** @param names of the commands of `plumbline` */
export function completionScript(shell: Shell, names: readonly string[]): string {
  return SCRIPTS[shell](names.join(' '));
}
