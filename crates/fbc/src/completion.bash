
# Bash takes `:` and `=` for words of their own, as in PACKAGE:CHANNEL and NAME=PATH. fbc is asked with whole words, and of what
# it answers bash gets the part that it takes for the last word.
_fbc_whole_words() {
    local part current="$2" last=$COMP_CWORD count=0 is_open=false
    local -a parts=("${COMP_WORDS[@]}") whole=()
    if [[ "${parts[last]}" == [:=]* ]]; then
        current=""
    else
        parts[last]="$current"
    fi
    for part in "${parts[@]:0:last+1}"; do
        if [[ $count -gt 1 ]] && { [[ "$part" == [:=]* ]] || $is_open; }; then
            whole[count-1]+="$part"
        else
            whole[count]="$part"
            count=$((count + 1))
        fi
        if [[ "$part" == [:=]* ]]; then is_open=true; else is_open=false; fi
    done
    local word="${whole[count-1]}"
    local before="${word%"$current"}"
    local -a COMP_WORDS=("${whole[@]}")
    local COMP_CWORD=$((count - 1))
    _clap_complete_fbc "$1" "$word" "$3"
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
